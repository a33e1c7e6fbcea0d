"""The warps of a block of the reference, step by step: where they meet at a barrier, and what warp 0 does alone."""

from matplotlib.figure import Figure

from common.pictures import Record, Trace
from common.pictures.shapes import ACTIVE, IDLE, OTHER, figure, label, legend, panel, warp_rows

RECORDS = [Record("reduce_sum", [1] * 4096)]
WARPS = 16  # of a block


def draw(trace: Trace) -> Figure:
    made, (axes,) = figure(10, 4.2)
    places = warp_rows(axes, trace, WARPS)
    stores = [x for x, access in places if access.op == "store"]
    # Thread 0 loads eight elements, then 0 and stride in each step, then the block's sum.
    first, *steps, _ = [flow for flow in trace.flows(warp=0) if flow.thread == 0]
    label(axes, stores[0] / 2, -1, f"{len(first.sources)} elements a thread", at="bottom")
    for x, flow in zip(stores[1:], steps, strict=False):
        word = f"stride {flow.sources[1]}" if flow is steps[0] else f"{flow.sources[1]}"
        label(axes, x - 1, -1, word, at="bottom")
    waits = trace.select(op="syncwarp")
    alone = [x for x, access in places if access.step == waits[0].step]
    word = f"{len(waits)} steps of warp 0 alone, each with a __syncwarp(): the short lines."
    label(axes, alone[0], 3, word, at="left")
    label(axes, alone[0], 4.2, "The other warps have ended.", at="left")
    for warp in (0, WARPS - 1):
        label(axes, -0.8, warp, f"warp {warp}", at="right")
    barriers = len(trace.select(op="barrier", warp=0))
    panel(axes, f"{barriers} barriers of the block, {len(waits)} of its first warp alone", -4, 41, -1.8, WARPS, room=8)
    legend(made, {ACTIVE: "load", OTHER: "store", IDLE: "waits at the barrier"})
    return made
