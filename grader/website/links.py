"""links: the HTML files of a site → the links of each that lead nowhere, and the addresses outside."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from launcher.language import _


@dataclass
class Checked:
    pages: int = 0
    links: int = 0
    broken: list[str] = field(default_factory=list)  # a sentence each
    outside: dict[str, str] = field(default_factory=dict)  # address → a page that has it


class _Names(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for key, value in attrs:
            if value and key == "id":
                self.ids.add(value)
            elif value is not None and key in ("href", "src"):
                self.links.add(value)


def check(site: Path) -> Checked:
    names: dict[Path, _Names] = {}
    for file in sorted(site.rglob("*.html")):
        names[file] = _Names()
        names[file].feed(file.read_text(encoding="utf-8"))
    found = Checked(pages=len(names))
    for file, its in names.items():
        for link in sorted(its.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme != "data":
                    found.outside.setdefault(link, str(file.relative_to(site)))
                continue
            found.links += 1
            goal = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchor = unquote(parts.fragment)
            if not goal.is_file():
                found.broken.append(_("{page}: {link}: there is no such file", page=file.relative_to(site), link=link))
            elif not goal.is_relative_to(site.resolve()):
                found.broken.append(_("{page}: {link} leads out of the site", page=file.relative_to(site), link=link))
            elif anchor and goal in names and anchor not in names[goal].ids:
                found.broken.append(
                    _(
                        "{page}: {link}: that page has no such heading",
                        page=file.relative_to(site),
                        link=link,
                    )
                )
    return found
