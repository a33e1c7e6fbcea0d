"""Draws picture.svg: the tree of neighbouring pairs over 16 elements, and which lanes of a warp add in each step.

Usage: picture.py [OUT.svg]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

VALUES = [3, 1, 7, 0, 4, 1, 6, 3, 2, 5, 1, 8, 2, 0, 4, 1]
STRIDES = [1, 2, 4, 8, 16]
ADDS, IDLE, LINE, TEXT = "#3b6ea5", "#e3e3e3", "#ffffff", "#333333"


def cell(axes: Axes, x: float, y: float, text: str, adds: bool, width: float = 0.9, height: float = 0.7) -> None:
    """A rectangle centred at (x, y)."""
    colour = ADDS if adds else IDLE
    axes.add_patch(Rectangle((x - width / 2, y - height / 2), width, height, facecolor=colour, edgecolor=LINE))
    axes.text(x, y, text, ha="center", va="center", fontsize=8, color="white" if adds else TEXT)


def draw_tree(axes: Axes) -> None:
    """One row per step: the array as it is after it. Blue: a thread has added here in this step."""
    array = list(VALUES)
    count = len(array)
    for i, value in enumerate(array):
        cell(axes, i, 0, str(value), adds=False)
    axes.text(-0.8, 0, "data", ha="right", va="center", fontsize=9, color=TEXT)
    for row, stride in enumerate(s for s in STRIDES if s < count):
        y, above = 1.6 * (row + 1), 1.6 * row
        for i in range(count):
            adds = i % (2 * stride) == 0
            if adds:
                array[i] += array[i + stride]
                axes.plot([i, i], [above + 0.4, y - 0.4], color=ADDS, linewidth=1)
                axes.plot([i + stride, i + 0.12], [above + 0.4, y - 0.4], color=ADDS, linewidth=1)
            cell(axes, i, y, str(array[i]), adds)
        axes.text(-0.8, y, f"stride {stride}", ha="right", va="center", fontsize=9, color=TEXT)
    axes.set_title("16 elements, 16 threads: thread i works at element i", fontsize=11, color=TEXT)
    axes.set_xlim(-3.2, count - 0.3)
    axes.set_ylim(7.1, -0.8)
    axes.axis("off")


def draw_lanes(axes: Axes) -> None:
    """The 32 lanes of any one warp, step by step."""
    for row, stride in enumerate(STRIDES):
        active = 0
        for lane in range(32):
            adds = lane % (2 * stride) == 0
            active += adds
            cell(axes, lane, row, "", adds, width=1, height=0.8)
        axes.text(-0.8, row, f"stride {stride}", ha="right", va="center", fontsize=9, color=TEXT)
        axes.text(32, row, f"{active} of 32", ha="left", va="center", fontsize=9, color=TEXT)
    for lane in range(0, 32, 4):
        axes.text(lane, -0.65, str(lane), ha="center", va="bottom", fontsize=7, color=TEXT)
    axes.set_title("Lanes of a warp that add", fontsize=11, color=TEXT, pad=16)
    axes.set_xlim(-6.5, 38)
    axes.set_ylim(4.6, -0.8)
    axes.axis("off")


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("picture.svg")
    plt.rcParams["svg.hashsalt"] = "warpladder"  # the same drawing gives the same file
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(9, 6.6), height_ratios=[1.75, 1])
    draw_tree(top)
    draw_lanes(bottom)
    figure.legend(
        handles=[Rectangle((0, 0), 1, 1, color=ADDS), Rectangle((0, 0), 1, 1, color=IDLE)],
        labels=["adds in this step", "idle, or left over"],
        loc="lower center",
        ncols=2,
        frameon=False,
        fontsize=9,
    )
    figure.subplots_adjust(left=0.01, right=0.99, top=0.95, bottom=0.07, hspace=0.2)
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
