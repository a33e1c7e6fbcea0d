"""The tree of distant pairs, and the sectors that one warp fetches: in the starter (lab 03), and in the reference."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from common.pictures import Access, Flow, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, LARGE, OTHER, cell, figure, flow_rows, label, legend, panel

VALUES = [3, 1, 7, 0, 4, 1, 6, 3, 2, 5, 1, 8, 2, 0, 4, 1]
BLOCK = [1] * 1024
RECORDS = [Record("reduce_sum", VALUES), Record("reduce_sum", BLOCK, "starter"), Record("reduce_sum", BLOCK)]
DATA = "data"
WORDS, SECTORS = 8, 32  # words of a sector; sectors of memory in the lower panel
APART = 36  # columns between the two grids


def stride(flows: list[Flow]) -> int:
    return max(flows[0].sources) - flows[0].target


def draw_tree(axes: Axes, trace: Trace) -> None:
    rounds = []
    for step in range(10):  # steps of a block of 1024; in the first steps the 16 elements have no partners
        flows, after = trace.flows(array=DATA, step=step), trace.contents(DATA, step)
        flows = [flow for flow in flows if len(flow.sources) == 2]
        if flows:
            rounds.append((f"stride {stride(flows)}", [after[i] for i in range(len(VALUES))], flows))
    flow_rows(axes, VALUES, rounds, left="data")
    panel(axes, "16 elements: thread i works at element i, and its partner is a stride away", -3.2, 15.7, -0.8, 7.1)


def first_load(trace: Trace, step: int) -> Access:
    return trace.select(array=DATA, block=0, warp=0, step=step, op="load")[0]


def draw_sectors(axes: Axes, access: Access, x: float, title: str) -> None:
    """Memory: a column for each sector, its eight words below each other."""
    wanted = {lane.index for lane in access.lanes}
    fetched = {index // WORDS for index in wanted}
    for sector in range(SECTORS):
        cell(axes, x + sector, (WORDS - 1) / 2, colour=OTHER if sector in fetched else IDLE, height=WORDS)
    for index in wanted:
        cell(axes, x + index // WORDS, index % WORDS, colour=ACTIVE)
    label(axes, x + SECTORS / 2 - 0.5, -1.3, title, size=LARGE)
    label(axes, x + SECTORS / 2 - 0.5, WORDS + 0.1, f"{len(wanted)} ints asked for, {len(fetched)} sectors fetched")


def draw(tree: Trace, before: Trace, after: Trace) -> Figure:
    made, (top, bottom) = figure(9, 5.8, rows=2, heights=[2, 1])
    draw_tree(top, tree)
    draw_sectors(bottom, first_load(before, 2), 0, "lab 03, third step")
    draw_sectors(bottom, first_load(after, 2), APART, "lab 04, third step")
    panel(bottom, "One load of warp 0: a column is a sector, eight ints", -1, APART + SECTORS, -2, WORDS + 0.6)
    legend(made, {ACTIVE: "asked for", OTHER: "fetched, but not used", IDLE: "not fetched"})
    return made
