"""model: the times of the cost model beside the measured ones: the tables of docs/model.md, and docs/model.svg.

The rungs come from common/lockstep/tests/golden/model_fit.csv, which fit_model.py writes; the cards from cards.csv.
"""

from dataclasses import dataclass
from pathlib import Path

from .ladder import FAMILIES
from .measured import rows

LOCKSTEP = Path(__file__).resolve().parents[1] / "lockstep"
WITHIN = 1.5  # the factor by which the model may be wrong


@dataclass(frozen=True)
class Modelled:
    """us: the measured quartiles. modelled: after a fit to all rungs. left_out: after a fit to the other rungs."""

    rung: str
    family: str
    n: int
    us: tuple[float, float, float]
    modelled: float
    left_out: float
    bound: str

    @property
    def ratio(self) -> float:
        return self.modelled / self.us[1]

    @property
    def left_out_ratio(self) -> float:
        return self.left_out / self.us[1]


def load(file: Path = LOCKSTEP / "tests" / "golden" / "model_fit.csv") -> list[Modelled]:
    return [
        Modelled(
            row["rung"], row["family"], int(row["n"]),
            (float(row["us_q1"]), float(row["us"]), float(row["us_q3"])),
            float(row["modelled_us"]), float(row["left_out_us"]), row["bound"],
        )
        for row in rows(file)
    ]  # fmt: skip


def out_of_order(found: list[Modelled]) -> list[tuple[str, str]]:
    """Pairs of a family, the slower rung first, that the model puts in the opposite order. Pairs whose quartiles
    overlap do not count: the measurement cannot tell them apart either."""
    return [
        (slow.rung, fast.rung)
        for family in FAMILIES
        for slow in found
        for fast in found
        if slow.family == fast.family == family and slow.us[0] > fast.us[2] and slow.modelled <= fast.modelled
    ]


def figures(found: list[Modelled]) -> dict[str, float]:
    """The figures of the page, by name."""
    off = {rung.rung: max(rung.ratio, 1 / rung.ratio) for rung in found}
    off_left_out = [max(rung.left_out_ratio, 1 / rung.left_out_ratio) for rung in found]
    made = {f"model.{rung.rung}": rung.modelled for rung in found} | {
        f"off.{name}": ratio for name, ratio in off.items()
    }
    made |= {"off.worst": max(off.values()), "off.left_out": max(off_left_out), "model.rungs": len(found)}
    made["off.middle"] = sorted(off.values())[len(off) // 2]
    made["model.speedup_error"] = next(float(row[2]) for row in card_rows() if row[1] == "speedup_error")
    made["model.disordered"] = len(out_of_order(found))
    return made


def rung_rows(found: list[Modelled]) -> list[list[str]]:
    return [
        [rung.rung, f"{rung.n:,}", f"{rung.us[1]:,.4g}", f"{rung.modelled:,.4g}", f"{rung.ratio:.2f}",
         f"{rung.left_out_ratio:.2f}", rung.bound]
        for rung in found
    ]  # fmt: skip


def card_rows(file: Path = LOCKSTEP / "report" / "cards.csv") -> list[list[str]]:
    return [[row["card"], row["parameter"], row["value"], row["source"]] for row in rows(file)]


def draw(found: list[Modelled]):  # noqa: ANN201  a Figure, whose library only pictures need
    from .shapes import ACTIVE, IDLE, NORMAL, OTHER, SMALL, TEXT, figure

    picture, (axes,) = figure(10, 1.4 + 0.24 * len(found))
    height = picture.get_figheight()
    picture.subplots_adjust(left=0.2, right=0.97, top=1 - 0.3 / height, bottom=0.95 / height)
    places = range(len(found))
    axes.set_yticks(places, [rung.rung for rung in found], fontsize=SMALL, color=TEXT)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.axvspan(1 / WITHIN, WITHIN, color=IDLE, alpha=0.4, linewidth=0)
    axes.axvline(1, color=TEXT, linewidth=1)
    left_out = [rung.left_out_ratio for rung in found]
    axes.plot(
        left_out, places, "o", color=OTHER, markersize=7, markerfacecolor="white", label="this rung left out of the fit"
    )
    axes.plot([rung.ratio for rung in found], places, "o", color=ACTIVE, markersize=5, label="all rungs fitted")
    axes.set_xscale("log")
    axes.set_xlim(0.45, 2.2)
    ticks = (0.5, 0.67, 0.8, 1, 1.25, 1.5, 2)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], fontsize=SMALL, color=TEXT)
    axes.minorticks_off()
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("modelled over measured, H200; grey: within a factor of 1.5", fontsize=NORMAL, color=TEXT)
    axes.spines[["top", "right", "left"]].set_visible(False)
    picture.legend(loc="lower center", ncols=2, frameon=False, fontsize=NORMAL)
    return picture
