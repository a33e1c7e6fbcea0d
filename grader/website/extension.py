"""extension: what Sphinx has to know about this course: where links and pictures lead, the navigation, the other
language, and which Chinese pages are behind their English ones.

The pages are GitHub's Markdown and name nothing of Sphinx, so everything that is ours is added to the parsed page.
"""

import html
import re
from gettext import NullTranslations
from typing import Any

from docutils import nodes
from sphinx import addnodes, search
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

from common.translation import parity

from .chinese import Pairs
from .pages import LANGUAGES, OTHER, Course, Page, way

_LINK = re.compile(r'\b((?:src|href)=")([^"]*)')
_STALE = "英文页在这一页上次核对之后有改动。可能过时的章节：{titles}。请以"
_OF_THE_THEME = {  # the words of furo and of templates/, which Sphinx does not translate
    "All pages": "所有页面",
    "Back to top": "回到顶部",
    "Home": "首页",
    "Language": "语言",
    "Made with": "本站使用",
    "Next": "下一页",
    "On this page": "本页内容",
    "Previous": "上一页",
    "Skip to content": "跳到正文",
}
_LOG = logging.getLogger(__name__)


class _Transform(SphinxTransform):
    default_priority = 300  # before Sphinx looks for pictures

    @property
    def course(self) -> Course:
        return self.config.course

    @property
    def page(self) -> Page:
        return self.course.of(self.config.site_language)[self.env.docname]


class Links(_Transform):
    def apply(self, **_: object) -> None:
        for link in self.document.findall(nodes.reference):
            link["refuri"] = self.goal(link["refuri"], link)
        for raw in self.document.findall(nodes.raw):
            text = self.of_html(raw)
            raw.clear()
            raw += nodes.Text(text)
        for picture in list(self.document.findall(nodes.image)):
            goal, alt = html.escape(self.goal(picture["uri"], picture)), html.escape(picture["alt"])
            picture.replace_self(nodes.raw("", f'<img src="{goal}" alt="{alt}">', format="html"))

    def of_html(self, raw: nodes.raw) -> str:
        return _LINK.sub(lambda found: found[1] + self.goal(found[2], raw), raw.astext())

    def goal(self, link: str, node: nodes.Node) -> str:
        goal = self.course.goal(self.page, link)
        if goal is None:
            _LOG.warning("%s leads to %s, which is not here", self.page.source, link, location=node)
        return goal or link


class Navigation(_Transform):
    """The groups of pages, in the start page, where Sphinx looks for them."""

    def apply(self, **_: object) -> None:
        if self.env.docname != "index":
            return
        for title, names in self.course.navigation(self.config.site_language):
            tree = addnodes.toctree(parent="index", caption=title, rawcaption=title, hidden=True, titlesonly=True)
            tree["entries"], tree["includefiles"] = [(None, name) for name in names], names
            tree.update_all_atts({"maxdepth": 1, "glob": False, "includehidden": False, "numbered": 0})
            self.document[0] += tree


class Stale(_Transform):
    default_priority = 310  # its link is one of the site

    def apply(self, **_: object) -> None:
        if self.page.language != "zh":
            return
        source = self.course.root / self.page.source
        was_read = parity.RECORD.search(source.read_text(encoding="utf-8"))  # not known in a learners' repository
        titles = parity.stale(source) if was_read else []
        if not titles and not any(parity.differences(source)):
            return
        goal = way(self.page.address, self.course.twin(self.page.name, "zh"))
        text = nodes.paragraph("", _STALE.format(titles="、".join(titles) or "未知"))
        text += [nodes.reference("", "英文页", refuri=goal), nodes.Text("为准。")]
        section = next(self.document.findall(nodes.section))
        section.insert(1, nodes.warning("", text, classes=["stale"]))


class _Chinese(NullTranslations):
    def gettext(self, message: str) -> str:
        return _OF_THE_THEME.get(message.strip(), message)


def _add_words(app: Sphinx) -> None:
    if app.config.site_language == "zh":
        app.translator.add_fallback(_Chinese())


def _other_language(app: Sphinx, name: str, _: str, context: dict[str, Any], __: object) -> None:
    language = app.config.site_language
    context["other_page"] = way(f"{language}/{name}.html", app.config.course.twin(name, language))
    context["other_language"], context["other_code"] = LANGUAGES[OTHER[language]], OTHER[language]


def _begin_cell(writer: HTML5Translator, node: nodes.entry) -> None:
    """An empty cell of a table's head is no heading."""
    HTML5Translator.visit_entry(writer, node)
    if not node.astext():
        writer.body[-1] = writer.body[-1].replace("<th", "<td")
        writer.context[-1] = writer.context[-1].replace("</th", "</td")


def _begin_container(writer: HTML5Translator, node: nodes.container) -> None:
    """A table may be wider than its place. The keyboard scrolls it only if it can have the focus."""
    HTML5Translator.visit_container(writer, node)
    if "table-wrapper" in node["classes"]:
        writer.body[-1] = writer.body[-1].replace("<div", '<div tabindex="0"', 1)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("course", None, "", Course)
    app.add_config_value("site_language", "en", "")
    for transform in (Links, Navigation, Stale):
        app.add_transform(transform)
    app.connect("builder-inited", _add_words)
    app.connect("html-page-context", _other_language)
    app.add_node(nodes.entry, override=True, html=(_begin_cell, HTML5Translator.depart_entry))
    app.add_node(nodes.container, override=True, html=(_begin_container, HTML5Translator.depart_container))
    app.add_css_file("site.css")
    search.languages["zh"] = Pairs
    return {"parallel_read_safe": False, "parallel_write_safe": True}
