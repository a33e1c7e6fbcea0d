"""compare: the runs of two versions → their counters side by side: first those that the rules read, then the others
that differ. If one version did not come through the measured case, both are compared on the recorded call."""

from dataclasses import dataclass
from typing import Any

from . import facts
from .runs import Runs

Json = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """of: the rule that reads the counter, with its limit; "": no rule. lines: (line, count), the largest first."""

    counter: str
    words: str
    a: float
    b: float
    of: str = ""
    lines_a: tuple[tuple[int, float], ...] = ()
    lines_b: tuple[tuple[int, float], ...] = ()


def reports(a: Runs, b: Runs) -> tuple[Json, Json] | None:
    """Of the same run for both."""
    for pair in ((a.measured, b.measured), (a.recorded, b.recorded)):
        if pair[0] is not None and pair[1] is not None:
            return pair
    return None


def rows(a: Runs, b: Runs) -> list[Row]:
    both = reports(a, b)
    if both is None:
        return []
    names = both[0]["counter_names"]
    rules = {
        rule["counter"]: f"{rule['name']} {rule['op']} {rule['value']:g}" + _per(rule) for rule in a.lab.facts["rules"]
    }
    found = [name for name in rules if name in names]
    found += [name for name in both[0]["launches"][0]["counters"] if name not in rules] if both[0]["launches"] else []
    made = []
    for name in found:
        first, second = (facts.total(report, name) for report in both)
        if name in rules or first != second:
            lines = [_lines(report, runs, name) for report, runs in zip(both, (a, b))]
            made.append(Row(name, names[name], first, second, rules.get(name, ""), *lines))
    return made


def _per(rule: Json) -> str:
    return f" per {rule['per']}" if rule.get("per") else ""


def _lines(report: Json, runs: Runs, counter: str) -> tuple[tuple[int, float], ...]:
    """The lines of the file that count most."""
    counted = next((one["lines"] for one in facts.heat(report, runs.file, (counter,))), {})
    return tuple(sorted(counted.items(), key=lambda line: -line[1])[:3])


def text(a: Runs, b: Runs, rows: list[Row]) -> str:
    """The table for a terminal."""
    lines = [f"A  {a.file.name}: {a.verdict['verdict']}", f"B  {b.file.name}: {b.verdict['verdict']}"]
    both = reports(a, b)
    if both is None:
        return "\n".join(
            [*lines, "", f"Nothing was counted. {a.says or b.says or 'A version did not run to its end.'}"]
        )
    whole = both[0] is a.measured
    on = (
        f"the measured case, {a.measured_n:,} elements" if whole else f"the recorded call of {len(a.elements)} elements"
    )
    lines += ["", f"Counted on {on}:", "", f"{'A':>15} {'B':>15} {'B − A':>15}"]
    for row in rows:
        lines.append(f"{_number(row.a):>15} {_number(row.b):>15} {_signed(row.b - row.a):>15}  {row.words}")
        lines.append(f"{'':49}{row.counter}" + (f" (rule {row.of})" if row.of else ""))
        for name, places in (("A", row.lines_a), ("B", row.lines_b)):
            if row.of and places:
                lines.append(f"{'':49}{name}: " + ", ".join(f"line {line}: {_number(count)}" for line, count in places))
    times = [facts.modelled_ms(report) for report in both]
    if whole and all(times):
        lines += ["", f"Modelled for an {facts.CARD}, not measured: A {times[0]:.4g} ms, B {times[1]:.4g} ms"]
    return "\n".join(lines)


def cells(rows: list[Row]) -> list[list[str]]:
    """The table for the page."""
    return [
        [f"{row.words} ({row.counter})", row.of, _number(row.a), _number(row.b), _signed(row.b - row.a)] for row in rows
    ]


def _number(value: float) -> str:
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.3f}"


def _signed(value: float) -> str:
    return "=" if value == 0 else f"{'+' if value > 0 else '−'}{_number(abs(value))}"
