"""table: verdicts → text: the ladder, with a row for each lab and a line for each rule; the histogram of a file."""

from typing import Any

from .columns import columns, padded
from .language import _, later

MODELLED = "NVIDIA H200"  # lockstep models several cards; the labs were measured on this one
MOST = 4  # wrong bins that are shown
HEADINGS = later("lab|verdict|cases|time|over baseline|over one CPU core")


def ladder(facts: dict[str, Any]) -> str:
    """The counters that a lab's rules read stand below its row: their names are too long for a column."""
    headings, cells = tuple(_(HEADINGS).split("|")), [_cells(row) for row in facts["rows"]]
    widths = [max(map(columns, column)) for column in zip(headings, *cells, strict=True)]
    text = [_line(headings, widths), "─" * (sum(widths) + 2 * len(widths) - 2)]
    for row, line in zip(facts["rows"], cells, strict=True):
        text.append(_line(line, widths))
        text += [f"    {_rule(rule)}" for rule in row.get("rules", []) if rule["value"] is not None]
    text.append("")
    if facts["device"] == "lockstep":
        text.append(
            _(
                "On lockstep, the emulated card: counts are exact; times are a model's, for {modelled}.",
                modelled=MODELLED,
            )
        )
    else:
        text.append(
            _(
                "Measured on {device}; counters are lockstep's affair: ./lab demo --device lockstep",
                device=facts["device"],
            )
        )
    return "\n".join(text)


def _line(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(padded(cell, width) for cell, width in zip(cells, widths, strict=True)).rstrip()


def modelled_ms(row: dict[str, Any]) -> float | None:
    """The time of the measured case, from lockstep's cost model."""
    return row.get("speed", {}).get("modelled", {}).get(MODELLED, {}).get("ms")


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    time, modelled = row.get("time", {}), modelled_ms(row)
    is_modelled = time.get("ms") is None and modelled is not None
    return (
        row["lab"],
        _(row["verdict"]),
        f"{row['cases_passed']}/{row['cases_planned']}" if "cases_planned" in row else "–",
        _("{modelled} ms modelled", modelled=f"{modelled:.3f}") if is_modelled else _ms(time.get("ms")),
        _times(row.get("speed", {}).get("speedup")),
        _times(time.get("speedup_over_serial_cpu")),
    )


def histogram(counts: list[int]) -> str:
    """256 counts, eight in a line, each after its byte and the ASCII character of the byte."""
    width = len(f"{max(counts):,}")
    cells = [f"{value:02x} {_shown(value)} {count:>{width},}" for value, count in enumerate(counts)]
    lines = ["  ".join(cells[start : start + 8]) for start in range(0, len(cells), 8)]
    return "\n".join([_("{count} bytes, by value:", count=f"{sum(counts):,}"), *lines])


def wrong_histogram(counts: list[int], wanted: list[int]) -> str:
    """How many bins are wrong, and the first of them."""
    wrong = [value for value, (got, want) in enumerate(zip(counts, wanted)) if got != want]
    lines = [_("{wrong} of {count} bins are wrong:", wrong=len(wrong), count=len(wanted))]
    for value in wrong[:MOST]:
        bin_name = f"{value:02x} {_shown(value)}"
        text = _("{bin}  got {got}, want {want}", bin=bin_name, got=f"{counts[value]:,}", want=f"{wanted[value]:,}")
        lines.append(f"    {text}")
    if len(wrong) > MOST:
        lines.append("    " + _("and {count} more", count=len(wrong) - MOST))
    return "\n".join(lines)


def words(counted: list[tuple[str, int]]) -> str:
    """The most frequent words, one in a line."""
    width = max((len(f"{count:,}") for _word, count in counted), default=1)
    return "\n".join([_("The most frequent words:"), *(f"{count:>{width + 4},}  {word}" for word, count in counted)])


def _shown(value: int) -> str:
    return chr(value) if 0x21 <= value < 0x7F else " "


def _ms(time: float | None) -> str:
    return "–" if time is None else _("{time} ms measured", time=f"{time:.3f}")


def _times(ratio: float | None) -> str:
    return "–" if ratio is None else f"{ratio:.3g}×"


def _rule(rule: dict[str, Any]) -> str:
    what = rule["counter"] + (_(" per {per}", per=_(rule["per"])) if rule["per"] else "")
    what += _(" in the worst {each}", each=_(rule["each"])) if rule.get("each") else ""  # older records have none
    sign = {"<=": "≤", ">=": "≥", "==": "="}.get(rule["op"], rule["op"])
    wanted = _("wanted") if rule["verdict"] == "broken" else _("as wanted")
    value, limit = f"{rule['value']:.5g}", f"{sign} {rule['limit']:g}"
    return _("{what} = {value}, {wanted} {limit}", what=what, value=value, wanted=wanted, limit=limit)
