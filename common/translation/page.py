"""page: a Markdown page as sections, with what a translation must keep: code, figures, pictures, links, lists."""

import calendar
import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TABLE = re.compile(r"(?<=<!-- table: ).*?(?=<!-- end -->)", re.DOTALL)
_MONTHS = list(calendar.month_name)  # the first one is empty
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS[1:])}) (?=\d)|(?<=\d) ({'|'.join(_MONTHS[1:])})\b")


@dataclass
class Section:
    """From one heading to the next; the first one has what stands before any heading."""

    title: str = ""
    level: int = 0
    source: str = ""
    text: str = ""  # what is read, without code
    code: list[str] = field(default_factory=list)
    inline_code: Counter[str] = field(default_factory=Counter)
    figures: Counter[str] = field(default_factory=Counter)
    links: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    shape: Counter[str] = field(default_factory=Counter)  # table rows, list items, folded parts, faults of the markup

    @property
    def digest(self) -> str:
        """Of what people write: a table that a program writes needs no reader."""
        return hashlib.sha256(_TABLE.sub("", self.source).strip().encode()).hexdigest()[:8]

    @property
    def anchor(self) -> str:
        """The anchor that GitHub makes from the heading."""
        return re.sub(r"[^\w\- ]", "", self.title.lower()).replace(" ", "-")


def sections(text: str) -> list[Section]:
    """text: of a page, without its record of parity."""
    lines = text.split("\n")
    tokens = _MARKDOWN.parse(text)
    found, begin, is_heading = [Section()], 0, False
    for token in tokens:
        if token.type == "heading_open" and token.level == 0:
            assert token.map
            found[-1].source = "\n".join(lines[begin : token.map[0]])
            found.append(Section(level=int(token.tag[1])))
            begin, is_heading = token.map[0], True
        elif is_heading and token.type == "inline":
            found[-1].title, is_heading = _plain(token), False
        _add(found[-1], token)
    found[-1].source = "\n".join(lines[begin:])
    return found


def _plain(heading: Token) -> str:
    return "".join(part.content for part in heading.children or [] if part.type in ("text", "code_inline"))


def _add(section: Section, block: Token) -> None:
    if block.type in ("fence", "code_block"):
        section.code.append(block.content)
    elif block.type in ("tr_open", "list_item_open"):
        section.shape[block.type.removesuffix("_open")] += 1
    elif block.type == "html_block":
        _add_html(section, block.content)
    section.text += "\n"
    for token in _inner(block):
        section.text += token.content if token.type == "text" else " "
        if token.type == "code_inline":
            section.inline_code[token.content] += 1
        elif token.type == "text":
            section.shape["stars of emphasis without effect"] += token.content.count("*")
            section.figures.update(_FIGURE.findall(_MONTH.sub(_number_of_month, token.content)))
        elif token.type == "link_open":
            section.links.append(unquote(str(token.attrs["href"])))
        elif token.type == "image":
            section.pictures.append(unquote(str(token.attrs["src"])))
        elif token.type == "html_inline":
            _add_html(section, token.content)


def _add_html(section: Section, html: str) -> None:
    section.comments += _COMMENT.findall(html)
    section.shape["details"] += html.count("<details")
    section.shape["summary"] += html.count("<summary")


def _inner(block: Token) -> Iterator[Token]:
    """The inline tokens; the words under a picture are left out."""
    return iter(block.children or []) if block.type == "inline" else iter(())


def _number_of_month(match: re.Match[str]) -> str:
    return f" {_MONTHS.index(match[1] or match[2])} "
