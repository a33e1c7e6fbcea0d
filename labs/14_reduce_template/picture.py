"""The steps that each of the six kernels has, and how many threads add in each."""

from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, cell, figure, label, legend, panel

SIZES = [1024, 512, 256, 128, 64, 32]
DATA = "data"
RECORDS = [Record("reduce_sum_block", [1] * (8 * block), block=block) for block in SIZES]


def steps_of(trace: Trace) -> dict[int, tuple[int, bool]]:
    """stride → how many threads add, and whether the block waits at a barrier after it."""
    ends = {barrier.step for barrier in trace.select(op="barrier")}
    result: dict[int, tuple[int, bool]] = {}
    for step in sorted({access.step for access in trace.accesses}):
        for flow in trace.flows(array=DATA, step=step):
            if len(flow.sources) == 2:  # the first additions have eight
                stride = max(flow.sources) - flow.target
                result[stride] = (result.get(stride, (0, False))[0] + 1, step in ends)
    return result


def draw(*traces: Trace) -> Figure:
    made, (axes,) = figure(9, 4.6)
    columns = [steps_of(trace) for trace in traces]
    strides = sorted({stride for steps in columns for stride in steps}, reverse=True)
    for x, (trace, steps) in enumerate(zip(traces, columns, strict=True)):
        _, argument = trace.launches[0].kernel.split("<")
        label(axes, x, -0.95, f"<{argument}")
        for y, stride in enumerate(strides):
            if stride in steps:
                adding, waits = steps[stride]
                cell(axes, x, y, str(adding), ACTIVE if waits else OTHER, width=0.94, height=0.8)
            else:
                cell(axes, x, y, "", IDLE, width=0.94, height=0.8)
        label(axes, x, len(strides), f"{len(steps)} steps")
    name, _ = traces[0].launches[0].kernel.split("<")
    label(axes, -0.6, -0.95, name, at="right")
    for y, stride in enumerate(strides):
        label(axes, -0.6, y, f"stride {stride}", at="right")
    panel(
        axes, "Six kernels out of one text: the steps that are in each, and the threads that add", -1.4, 5.6, -1.5, 10.4
    )
    legend(made, {ACTIVE: "step of the block", OTHER: "step of the last warp", IDLE: "not in this kernel"})
    return made
