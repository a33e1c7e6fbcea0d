"""table: verdicts → text: the ladder, one row a lab and one line a rule; a file's histogram."""

from typing import Any

HEADINGS = ("lab", "verdict", "cases", "time", "speedup", "over CPU", "counters that its rules read")


def ladder(facts: dict[str, Any]) -> str:
    lines = [HEADINGS, *(line for row in facts["rows"] for line in _lines(row))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(HEADINGS) - 1)]
    text = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[-1]]) for line in lines
    ]
    text.insert(1, "─" * max(len(line) for line in text))
    emulated = facts["device"] == "lockstep"
    text.append("")
    text.append(
        "On lockstep, the emulated card: counts are exact; modelled times come later."
        if emulated
        else f"On {facts['device']}: times are measured, and speedups are over the lab's baseline and one CPU core."
    )
    return "\n".join(line.rstrip() for line in text)


def histogram(counts: list[int]) -> str:
    """256 counts, eight to a line, each behind its byte and what ASCII calls that."""
    width = len(f"{max(counts):,}")
    cells = [f"{value:02x} {_shown(value)} {count:>{width},}" for value, count in enumerate(counts)]
    lines = ["  ".join(cells[start : start + 8]) for start in range(0, len(cells), 8)]
    return "\n".join([f"{sum(counts):,} bytes, by value:", *lines])


def _shown(value: int) -> str:
    return chr(value) if 0x21 <= value < 0x7F else " "


def _lines(row: dict[str, Any]) -> list[tuple[str, ...]]:
    time = row.get("time", {})
    rules = [_rule(rule) for rule in row.get("rules", [])] or ["–"]
    first = (
        row["lab"],
        row["verdict"],
        f"{row['cases_passed']}/{row['cases_planned']}" if "cases_planned" in row else "–",
        "later" if time.get("ms") is None else f"{time['ms']:.3f} ms measured",
        _times(time.get("speedup_over_baseline")),
        _times(time.get("speedup_over_serial_cpu")),
        rules[0],
    )
    return [first, *(("",) * (len(HEADINGS) - 1) + (rule,) for rule in rules[1:])]


def _times(ratio: float | None) -> str:
    return "later" if ratio is None else f"{ratio:.3g}×"


def _rule(rule: dict[str, Any]) -> str:
    what = rule["counter"] + (f" per {rule['per']}" if rule["per"] else "")
    if rule["value"] is None:
        return f"{what}: {rule['verdict']}"
    sign = {"<=": "≤", ">=": "≥", "==": "="}.get(rule["op"], rule["op"])
    broken = ", broken" if rule["verdict"] == "broken" else ""
    return f"{what} = {rule['value']:.5g} (wanted {sign} {rule['limit']:g}{broken})"
