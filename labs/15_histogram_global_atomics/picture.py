"""Draws picture.svg: eight threads stride over bytes, and meet at the bins.

Usage: picture.py [OUT.svg]
"""

import sys
from collections import Counter
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

TEXT_BYTES = "a warp, a warp and a bad day"  # three rounds of eight threads, and half a round
THREADS = 8
BINS = " ,abdnprwy"
ALONE, MEETS, IDLE, LINE, TEXT = "#3b6ea5", "#c4472f", "#e3e3e3", "#ffffff", "#333333"


def box(axes: Axes, x: float, y: float, text: str, colour: str, ink: str) -> None:
    """A unit square with its left upper corner at (x, y)."""
    axes.add_patch(Rectangle((x, y), 1, 1, facecolor=colour, edgecolor=LINE, linewidth=1.5))
    axes.text(x + 0.5, y + 0.5, text, ha="center", va="center", fontsize=9, color=ink)


def shown(byte: str) -> str:
    return "␣" if byte == " " else byte


def draw_bytes(axes: Axes) -> None:
    """The data, one row per turn of the loop: the grid's threads side by side, then on by one stride."""
    for i, byte in enumerate(TEXT_BYTES):
        colour, ink = (ALONE, "white") if i < THREADS else (IDLE, TEXT)
        box(axes, i % THREADS, i // THREADS, shown(byte), colour, ink)
    rounds = -(-len(TEXT_BYTES) // THREADS)
    for thread in range(THREADS):
        axes.text(thread + 0.5, -0.2, f"t{thread}", ha="center", va="bottom", fontsize=9, color=TEXT)
    for turn in range(rounds):
        axes.text(-0.3, turn + 0.5, f"turn {turn}", ha="right", va="center", fontsize=9, color=TEXT)
    axes.text(THREADS / 2, rounds + 0.25, "i += stride: one row down", ha="center", va="top", fontsize=9, color=TEXT)
    axes.set_title("bytes", fontsize=11, color=TEXT)
    axes.set_xlim(-1.9, THREADS + 0.2)
    axes.set_ylim(6.6, -0.9)
    axes.set_aspect("equal")
    axes.axis("off")


def draw_meeting(axes: Axes) -> None:
    """Turn 0: an arrow from each thread to the bin of its byte; red where several threads want one bin."""
    first = TEXT_BYTES[:THREADS]
    wanted = Counter(first)
    gap = 4.6
    for thread, byte in enumerate(first):
        colour = MEETS if wanted[byte] > 1 else ALONE
        box(axes, thread + 1, 0, shown(byte), colour, "white")
        axes.text(thread + 1.5, -0.2, f"t{thread}", ha="center", va="bottom", fontsize=9, color=TEXT)
        axes.annotate(
            "",
            (BINS.index(byte) + 0.5, gap),
            (thread + 1.5, 1.05),
            arrowprops={"arrowstyle": "->", "color": colour, "linewidth": 1.3},
        )
    for k, byte in enumerate(BINS):
        count = wanted.get(byte, 0)
        colour = MEETS if count > 1 else ALONE if count else IDLE
        box(axes, k, gap, f"+{count}" if count else "", colour, "white")
        axes.text(k + 0.5, gap + 1.15, shown(byte), ha="center", va="top", fontsize=9, color=TEXT)
    axes.set_title("turn 0: one atomicAdd a thread", fontsize=11, color=TEXT)
    axes.set_xlim(-0.3, len(BINS) + 0.3)
    axes.set_ylim(6.6, -0.9)
    axes.set_aspect("equal")
    axes.axis("off")


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("picture.svg")
    plt.rcParams["svg.hashsalt"] = "warpladder"  # the same drawing gives the same file
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.4))
    draw_bytes(left)
    draw_meeting(right)
    figure.legend(
        handles=[Rectangle((0, 0), 1, 1, color=ALONE), Rectangle((0, 0), 1, 1, color=MEETS)],
        labels=["alone at its bin", "several threads at one bin: they queue"],
        loc="lower center",
        ncols=2,
        frameon=False,
        fontsize=9,
    )
    figure.subplots_adjust(left=0.01, right=0.99, top=0.92, bottom=0.08, wspace=0.03)
    figure.savefig(out, metadata={"Date": None} if out.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
