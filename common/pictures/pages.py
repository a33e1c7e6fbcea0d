"""pages: fills the tables and figures of docs/FAMILY.md and model.md with measured, counted and modelled values, and
those of their Chinese pages.

A table that is made here stands between `<!-- table: NAME -->` and `<!-- end -->`. A figure in the text has its name
behind it, in a comment that readers do not see: `0.293<!-- alone.02 -->`, `2.1<!-- alone.02 / alone.03 -->`. The names
are those of measured.py. A figure is rounded to as many digits as it has on the page."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import model
from .ladder import FAMILIES, Rung
from .measured import UNMEASURED, Measured, load
from .words import chinese as in_chinese

TABLE = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
FIGURE = re.compile(r"(?P<shown>\d[\d,]*(?:\.\d+)?)<!-- (?P<what>[\w. */+()-]+) -->")

COUNTERS = {  # for people; docs/counters.md has the rest
    "block_waits": "waits of a block",
    "thread_waits": "waits of threads",
    "global_atomics": "global atomics",
    "loop_branches": "branches that go back",
    "host_synchronisations": "times that the host waits between kernels",
    "host_allocations": "allocations between kernels",
    "bytes_to_host": "bytes that come to the host",
    "launches": "launches",
    "memory_waits": "waits for global memory",
    "block_branches": "branches of a block",
    "smsp__sass_branch_targets_threads_divergent.sum": "divergent branches",
    "float_additions": "float additions",
    "idle_lanes": "idle lanes",
    "global_bytes_loaded": "global bytes loaded",
    "global_bytes_stored": "global bytes stored",
    "shared_bytes_loaded": "shared bytes loaded",
    "shared_bytes_stored": "shared bytes stored",
    "shared_wavefronts": "shared wavefronts",
    "shared_excess_wavefronts": "shared wavefronts too many",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "global load requests",
    "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum": "global store requests",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "global load sectors",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "global store sectors",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "bank conflicts of loads",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "bank conflicts of stores",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum": "shared wavefronts of loads",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum": "shared wavefronts of atomics",
}


def shown(value: float, digits: int, *, whole: bool = True) -> str:
    """Rounded to so many digits. A whole number was counted and keeps all its digits, unless `whole` is false."""
    if value == 0 or (whole and value == int(value)):
        return f"{int(value):,}"
    return f"{value:,.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def value(what: str, figures: Mapping[str, float]) -> float:
    """The value of `a / b * 100`, computed from left to right."""
    first, *rest = what.split()
    result = _operand(first, figures)
    for sign, name in zip(rest[::2], rest[1::2], strict=True):
        other = _operand(name, figures)
        result = {"*": result * other, "/": result / other, "+": result + other, "-": result - other}[sign]
    return result


def _operand(name: str, figures: Mapping[str, float]) -> float:
    if name in figures:
        return figures[name]
    try:
        return float(name)
    except ValueError:
        raise LookupError(f"{name}: no such figure; common/pictures/measured.py says how they are named") from None


def filled(text: str, family: str, made: Measured, *, chinese: bool = False) -> str:
    """The page with fresh tables and figures."""

    def table(match: re.Match[str]) -> str:
        english = TABLES[match[2]](family, made)
        return match[1] + (in_chinese(english) if chinese else english) + match[3]

    def figure(match: re.Match[str]) -> str:
        digits = len(match["shown"].replace(",", "").replace(".", "").lstrip("0"))
        whole = "." not in match["shown"]
        return f"{shown(value(match['what'], made.figures), digits, whole=whole)}<!-- {match['what']} -->"

    return FIGURE.sub(figure, TABLE.sub(table, text))


def update(root: Path, *, check: bool) -> list[str]:
    """Writes the pages that are not up to date. Returns their names; with check, writes nothing."""
    made, old = load(root), []
    made.figures |= model.figures(model.load())
    pages = [(name, root / "docs" / folder / f"{name}.md") for name in (*FAMILIES, "model") for folder in ("", "zh")]
    for name, page in pages:
        text = page.read_text(encoding="utf-8")
        try:
            new = filled(text, name, made, chinese=page.parent.name == "zh")
        except LookupError as error:
            raise SystemExit(f"{page.relative_to(root)}: {error.args[0]}") from None
        if new != text:
            old.append(str(page.relative_to(root)))
            if not check:
                page.write_text(new, encoding="utf-8")
    return old


def _markdown(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table in Markdown. A column without any value is left out."""
    kept = [i for i in range(len(head)) if any(line[i] for line in body)]
    lines = [head, ["---"] * len(head), *body]
    return "".join(f"| {' | '.join(line[i] for i in kept)} |\n" for line in lines)


def _link(rung: Rung) -> str:
    return f"[{rung.number} {rung.title}](../labs/{rung.folder}/README.md)"


def counters(family: str, made: Measured) -> str:
    """What the rules of each rung count, before and after. A rule with the same value before and after is left out."""
    body: list[list[str]] = []
    for rung in made.of(family):
        seen = set()
        link = _link(rung)
        for rule in rung.rules:
            if rule.starter == rule.reference or (rule.counter, rule.per) in seen:
                continue
            seen.add((rule.counter, rule.per))
            per = {
                "element": " per element",
                "thread of a block": " for each of its threads",
                "element^2": " ÷ n²",
                "": "",
            }
            what = COUNTERS.get(rule.counter, f"`{rule.counter}`")
            over = per[rule.per]
            before = "" if rule.starter is None else _count(rule.starter)
            body.append([link, what + over, before, _count(rule.reference)])
            link = ""
    return _markdown(["rung", "counter", "starter", "reference"], body)


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else shown(value, 4)


def _ms(value: float | None) -> str:
    return "" if value is None else shown(value, 3, whole=False)


def _times(value: float | None) -> str:
    return "" if value is None else shown(value, 3, whole=False) + "×"


def _alone(rung: Rung, made: Measured) -> str:
    """The time of a rung's kernels alone; where there is none, where its time is told."""
    beside = "[beside CUB](#at-the-limit-beside-cub)" if rung.number in made.bench else UNMEASURED
    return _ms(made.figures.get(f"alone.{rung.number}")) or beside


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above is not None and below is not None else None


def reduction(family: str, made: Measured) -> str:
    """Every rung beside the first measurements of the course and of the source, with its gain over the rung below."""
    get, body, last = made.figures.get, [], ("", "", "")
    for rung in made.of(family):
        names = tuple(f"{kind}.{rung.number}" for kind in ("alone", "first", "source"))
        line = [_link(rung)]
        for name, below in zip(names, last):
            line += [made.written.get(name) or _ms(get(name)), _times(_ratio(get(below), get(name)))]
        line[1] = _alone(rung, made)
        body.append(line)
        last = tuple(name if name in made.figures else below for name, below in zip(names, last))
    head = ["rung", "kernel alone, ms", "gains", "first measurement, ms", "gains", "source, 2018, ms × 1000", "gains"]
    for name, words in (("cub_reduce", "CUB"), ("read_ints", "reading alone")):
        scaled = get(f"first.{name}", 0) * made.figures["n.02"] / (1 << 28)
        body.append([words, _ms(get(f"limit.{name}")), "", f"{_ms(scaled)} †", "", "", ""])
    return _markdown(head, body)


def histogram(family: str, made: Measured) -> str:
    get, body, last = made.figures.get, [], None
    for rung in made.of(family):
        alone = get(f"alone.{rung.number}")
        body.append([
            _link(rung), _alone(rung, made), _times(_ratio(last, alone)), _ms(get(f"alone.{rung.number}.constant")),
            made.written.get(f"first.{rung.number}", ""), made.written.get(f"first.{rung.number}.constant", ""),
        ])  # fmt: skip
        last = alone or last
    beside = (
        ("copies_per_warp", "a copy for each warp, 16-byte loads", "", ""),
        ("cub_histogram", "CUB", "limit.cub_histogram", "limit.cub_histogram_constant"),
        ("read_bytes", "reading alone", "limit.read_bytes", ""),
    )
    for name, words, alone, constant in beside:
        body.append([words, _ms(get(alone)), "", _ms(get(constant)), made.written[f"first.{name}"], ""])
    head = ["rung", "kernel alone, random bytes, ms", "gains", "constant bytes, ms"]
    return _markdown([*head, "first measurement, random, ms", "constant, ms"], body)


def scan(family: str, made: Measured) -> str:
    """The rungs work on arrays of different lengths. Only their times per element can be compared."""
    body = []
    for rung in made.of(family):
        time = made.times.get(f"alone.{rung.number}")
        if time is None:
            body.append([_link(rung), f"{rung.size:,}", "", _alone(rung, made), ""])
        else:
            each = shown(time.ms * 1e6 / time.n, 3, whole=False)
            body.append([_link(rung), f"{time.n:,}", str(time.launches), _ms(time.ms), each])
    for name, words in (("cub_scan_inclusive", "CUB"), ("copy", "copying")):
        time = made.times.get(f"limit.{name}")
        if time is not None:
            each = shown(time.ms * 1e6 / time.n, 3, whole=False)
            body.append([words, f"{time.n:,}", str(time.launches), _ms(time.ms), each])
    return _markdown(["rung", "elements", "kernels", "kernels alone, ms", "per element, ns"], body)


def large(family: str, made: Measured) -> str:
    """2^28 elements: the scans of any length beside CUB and copying."""
    get, body = made.figures.get, []
    for rung in made.of(family):
        alone = get(f"large.{rung.number}")
        if alone is not None:
            body.append([_link(rung), _ms(alone), _times(_ratio(alone, get("large.copy"))), ""])
    for name, words, first in (("cub_scan_inclusive", "CUB", "cub_scan"), ("copy", "copying", "copy")):
        alone = get(f"large.{name}")
        body.append([words, _ms(alone), _times(_ratio(alone, get("large.copy"))), made.written[f"first.{first}"]])
    return _markdown(["2^28 elements", "kernels alone, ms", "copies", "first measurement, ms"], body)


BENCH_SIZES = (*(1 << log for log in (16, 20, 24, 26, 28, 30)), 100 << 20)  # a page needs no more of them


def bench(family: str, made: Measured) -> str:
    """The family's kernels at the limit beside the best of CUB and beside reading or copying, as ./lab bench times."""
    body = []
    for rung in made.of(family):
        link = _link(rung)
        for task in sorted(made.bench.get(rung.number, []), key=lambda one: (one.type != "i32", one.type)):
            if task.n in BENCH_SIZES:
                other = [_ms(row and row["ms"]) for row in (task.cub, task.limit)]
                share = "" if task.share is None else f"{task.share:.2f}"
                what = f"{task.type}, {task.input}"
                ratio = f"{task.ratio:.2f}×" if task.ratio else ""
                body.append([link, what, f"{task.n:,}", _ms(task.ours["ms"]), other[0], ratio, other[1], share])
                link = ""
    head = ["lab", "elements", "number", "ms", "best of CUB, ms", "faster than CUB", "limit, ms", "share of the limit"]
    return _markdown(head, body)


def modelled(_family: str, _made: Measured) -> str:
    head = ["rung", "elements", "measured, us", "modelled, us", "ratio", "ratio, rung left out", "bound by"]
    return _markdown(head, model.rung_rows(model.load()))


def cards(_family: str, _made: Measured) -> str:
    return _markdown(["card", "parameter", "value", "source"], model.card_rows())


TABLES: dict[str, Callable[[str, Measured], str]] = {
    "counters": counters,
    "reduction": reduction,
    "histogram": histogram,
    "scan": scan,
    "large": large,
    "bench": bench,
    "modelled": modelled,
    "cards": cards,
}
