"""layers: docs/layers.svg and the table of docs/layers.md: the rooms of the house and which of them know which, from
what `includes` found. What a room is for is the first comment of its CMakeLists.txt; a Python package says it in its
docstring, and a room that has neither in ORDER.

A house is a column, whose first room stands at the top, so that every arrow to a room of the same column points upward.
An arrow is light if other arrows lead to the same room through rooms between. An arrow that breaks the law is red.
"""

import ast
import re
from collections.abc import Mapping
from pathlib import Path

from . import includes
from .includes import ORDER, Known

TABLE = re.compile(r"(<!-- rooms -->\n).*?(<!-- end -->)", re.DOTALL)
WIDTH, HEIGHT = 2.4, 0.56  # of a box; columns are 3.9 apart, rows 1
COLUMN = 3.9


def houses(rooms: Known) -> dict[str, list[str]]:
    """House → its rooms that are there, in order; rooms without a line in ORDER stand below those of their house."""
    found = {house: [name for name in order if name in rooms] for house, order in ORDER.items()}
    for name in sorted(rooms.keys() - includes.places().keys()):
        house = next((h for h, order in ORDER.items() if any(_is_beside(name, room) for room in order)), "others")
        found.setdefault(house, []).append(name)
    return {house: names for house, names in found.items() if names}


def _is_beside(name: str, room: str) -> bool:
    """common/lockstep, and all that is in it, belongs to the house of common/lockstep/base."""
    folder = "/".join(room.split("/")[:2])
    return "/" in folder and (name == folder or name.startswith(f"{folder}/"))


def short(room: str) -> str:
    """The name of the folder; for the command line, of its file."""
    return "commands" if room == "grader" else room.removeprefix("grader/").rsplit("/", 1)[-1]


def purpose(root: Path, room: str) -> str:
    """A sentence that says what the room is for; empty if there is none."""
    cmake, sources = root / room / "CMakeLists.txt", sorted((root / room).glob("*.py"))
    if sources and not any((root / room).glob("*.h")):
        package = root / room / "__init__.py"
        said = ast.get_docstring(ast.parse((package if package.exists() else sources[0]).read_text(encoding="utf-8")))
        text = said or ""
    elif cmake.exists():
        comment = re.match(r"(?:#[^\n]*\n)+", cmake.read_text(encoding="utf-8"))
        text = re.sub(r"^# ?", "", comment[0], flags=re.MULTILINE) if comment else ""
    else:
        return next((house[room] for house in ORDER.values() if room in house), "")
    first = re.split(r"(?<=\.)\s", " ".join(text.split("\n\n")[0].split()), maxsplit=1)[0]
    said = re.sub(r"^(The )?\w+: ", "", first)
    return said[:1].upper() + said[1:]


def table(root: Path, rooms: Known) -> str:
    lines = ["| room | what it is for | it knows |", "|---|---|---|"]
    place = includes.places()
    for names in houses(rooms).values():
        for name in names:
            known = sorted(rooms[name], key=lambda other: (place.get(other, len(place)), other))
            listed = ", ".join(f"`{short(other)}`" for other in known) or "–"
            lines.append(f"| `{name}/` | {purpose(root, name)} | {listed} |")
    return "\n".join(lines) + "\n"


def fill_page(root: Path, rooms: Known, *, check: bool) -> bool:
    """Writes the table into the page. With check, only says whether the page has this table already."""
    page = root / "docs" / "layers.md"
    text = page.read_text(encoding="utf-8")
    new = TABLE.sub(lambda match: match[1] + table(root, rooms) + match[2], text)
    if new != text and not check:
        page.write_text(new, encoding="utf-8")
    return new == text


def silent(root: Path, rooms: Known) -> list[str]:
    """A sentence for each room that does not say what it is for."""
    return [
        f"{name}: say in the first comment of its CMakeLists.txt what the room is for, or in ORDER ({includes.HERE})"
        for name in sorted(rooms)
        if not purpose(root, name)
    ]


def direct(rooms: Mapping[str, set[str]], name: str) -> set[str]:
    """The rooms that this room knows, without those that it also knows through other rooms."""
    others = rooms[name]
    return {one for one in others if not any(one in includes.reached(rooms, two) for two in others - {one})}


def draw(rooms: Known):  # noqa: ANN201  a Figure, whose library only pictures need
    from .shapes import CONFLICT, LARGE, TEXT, figure, label

    columns = houses(rooms)
    at = {
        name: (COLUMN * column, -row) for column, names in enumerate(columns.values()) for row, name in enumerate(names)
    }
    rows = max(map(len, columns.values()))
    made, (axes,) = figure(11, 0.8 + 0.62 * rows)
    place = includes.places()
    for name in rooms:
        near = direct(rooms, name)
        for other in sorted(rooms[name] & at.keys(), key=lambda other: (other in near, other)):
            backward = place.get(other, -1) > place.get(name, len(place))
            colour = CONFLICT if backward else TEXT if other in near else "#b5b5b5"
            _edge(axes, at[name], at[other], colour, aside=1 if other in near else -1)
    for name, (x, y) in at.items():
        _box(axes, short(name), x, y)
    for column, house in enumerate(columns):
        label(axes, COLUMN * column, 0.85, house, size=LARGE)
    axes.set_xlim(-2, COLUMN * (len(columns) - 1) + 2)
    axes.set_ylim(0.4 - rows, 1.1)
    axes.axis("off")
    made.subplots_adjust(top=0.995, bottom=0.005)
    return made


def _edge(axes, start: tuple[float, float], end: tuple[float, float], colour: str, *, aside: int) -> None:  # noqa: ANN001
    """aside: 1 bends an arrow past the rooms between on their right, -1 on their left."""
    bend = 0.0
    if start[0] != end[0]:  # another column: from side to side
        right = 1 if end[0] > start[0] else -1
        tail, head = (start[0] + right * WIDTH / 2, start[1]), (end[0] - right * WIDTH / 2, end[1])
    elif abs(start[1] - end[1]) == 1:  # a neighbour: straight
        up = 1 if end[1] > start[1] else -1
        tail, head = (start[0], start[1] + up * HEIGHT / 2), (end[0], end[1] - up * HEIGHT / 2)
    else:
        x = start[0] + aside * WIDTH / 2
        rows = abs(end[1] - start[1])
        bend = aside * (0.32 if end[1] > start[1] else -0.32) / rows**0.35
        tail, head = (x, start[1] + 0.08), (x, end[1] - 0.08)
    axes.annotate(
        "", head, tail,
        arrowprops={
            "arrowstyle": "->", "color": colour, "linewidth": 1.1, "shrinkA": 0, "shrinkB": 0,
            "connectionstyle": f"arc3,rad={bend:.3f}",
        },
    )  # fmt: skip


def _box(axes, text: str, x: float, y: float) -> None:  # noqa: ANN001
    from matplotlib.patches import FancyBboxPatch

    from .shapes import ACTIVE, NORMAL, label

    corner = (x - WIDTH / 2, y - HEIGHT / 2)
    style = "round,pad=0,rounding_size=0.12"
    axes.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle=style, facecolor=ACTIVE, edgecolor="none"))
    label(axes, x, y, text, size=NORMAL, colour="white")
