"""Draws picture.svg: which elements each thread of the naive scans adds, and what that costs a warp.

Usage: picture.py [OUT.svg]
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

N = 8  # threads, and elements; a warp of eight stands for one of 32
ADDED, WAITED, LINE, TEXT = "#3b6ea5", "#e3e3e3", "#ffffff", "#333333"


def draw_triangle(axes: Axes, title: str, inclusive: bool) -> None:
    """One row per thread, one column per turn of its loop, which is also the element that it adds."""
    turns = N if inclusive else N - 1
    for thread in range(N):
        own = thread + 1 if inclusive else thread
        for element in range(turns):
            added = element < own
            axes.add_patch(
                Rectangle((element, thread), 1, 1, facecolor=ADDED if added else WAITED, edgecolor=LINE, linewidth=1.5)
            )
            if added:
                label = f"in[{element}]"
                axes.text(element + 0.5, thread + 0.5, label, ha="center", va="center", color="white", fontsize=8)
        axes.text(-0.2, thread + 0.5, f"thread {thread}", ha="right", va="center", color=TEXT, fontsize=9)
        axes.text(N + 0.2, thread + 0.5, f"out[{thread}]", ha="left", va="center", color=TEXT, fontsize=9)
    axes.set_title(title, fontsize=11, color=TEXT)
    axes.set_xlim(-1.8, N + 1.4)
    axes.set_ylim(N + 1.3, -0.1)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.annotate("", (turns, N + 0.35), (0, N + 0.35), arrowprops={"arrowstyle": "->", "color": TEXT})
    axes.text(
        turns / 2,
        N + 0.65,
        f"turns of the loop, and load requests: {turns}",
        ha="center",
        va="top",
        color=TEXT,
        fontsize=9,
    )


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("picture.svg")
    plt.rcParams["svg.hashsalt"] = "warpladder"  # the same drawing gives the same file
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.9))
    draw_triangle(left, "inclusive", inclusive=True)
    draw_triangle(right, "exclusive", inclusive=False)
    figure.legend(
        handles=[Rectangle((0, 0), 1, 1, color=ADDED), Rectangle((0, 0), 1, 1, color=WAITED)],
        labels=["the thread adds this element", "the thread is done; its warp is not"],
        loc="lower center",
        ncols=2,
        frameon=False,
        fontsize=9,
    )
    figure.subplots_adjust(left=0.01, right=0.99, top=0.93, bottom=0.07, wspace=0.02)
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
