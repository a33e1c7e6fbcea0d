"""The tree of neighbouring pairs over 16 elements, and which lanes of a warp add in each step."""

from matplotlib.figure import Figure

from common.pictures import Flow, Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, figure, flow_rows, lane_rows, legend, panel

VALUES = [3, 1, 7, 0, 4, 1, 6, 3, 2, 5, 1, 8, 2, 0, 4, 1]
RECORDS = [Record("reduce_sum", VALUES), Record("reduce_sum", [1] * 1024)]
DATA = "data"


def stride(flows: list[Flow]) -> str:
    return f"stride {max(flows[0].sources) - flows[0].target}"


def draw(small: Trace, block: Trace) -> Figure:
    made, (top, bottom) = figure(9, 6.6, rows=2, heights=[1.75, 1])

    rounds = []
    for step in range(4):
        flows, after = small.flows(array=DATA, step=step), small.contents(DATA, step)
        rounds.append((stride(flows), [after[i] for i in range(16)], flows))
    flow_rows(top, VALUES, rounds, left="data")
    panel(top, "16 elements, 16 threads: thread i works at element i", -3.2, 15.7, -0.8, 7.1)

    rows = []
    for step in range(5):  # after that one lane is left
        flows = block.flows(array=DATA, warp=0, step=step)
        rows.append((stride(flows), [flow.thread for flow in flows]))
    lane_rows(bottom, rows)
    panel(bottom, "Lanes of a warp that add", -6.5, 38, -0.8, 4.6, room=16)

    legend(made, {ACTIVE: "adds in this step", IDLE: "idle, or left over"})
    return made
