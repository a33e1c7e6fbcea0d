"""build: this checkout → the site in a folder. A warning of Sphinx is an error, and so is a link that leads nowhere."""

import html
import io
import multiprocessing
import shutil
import tempfile
from pathlib import Path, PurePosixPath

from launcher.console import Failure
from launcher.language import _
from launcher.paths import ROOT

from . import links
from .pages import FILES, LANGUAGES, Course

HERE = Path(__file__).parent
SPHINX_LANGUAGE = {"en": "en", "zh": "zh_CN"}
OURS = {"index.html", FILES, *LANGUAGES}  # all that a site has at its top


def build(folder: Path, root: Path = ROOT) -> links.Checked:
    """Writes the site, in the place of an older one."""
    folder = folder.resolve()
    if not _is_ours(folder):
        raise Failure(
            _("{folder} holds something else than a site of ./lab docs. Name an empty folder.", folder=folder)
        )
    course = Course(root.resolve())
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        # A process for each language: Sphinx keeps the words of a language for the rest of its process.
        with multiprocessing.get_context("fork").Pool(len(LANGUAGES), maxtasksperchild=1) as pool:
            for copied in pool.starmap(_build_language, [(course, language, work) for language in LANGUAGES], 1):
                course.copied |= copied
        _copy_files(course, work / "site" / FILES)
        shutil.copyfile(HERE / "templates" / "start.html", work / "site" / "index.html")
        checked = links.check(work / "site")
        if checked.broken:
            raise Failure(_("Links that lead nowhere:") + "\n" + "\n".join(checked.broken))
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(work / "site", folder)
    return checked


def _is_ours(folder: Path) -> bool:
    """Nothing in it is lost if it is replaced."""
    if not folder.exists():
        return True
    names = {entry.name for entry in folder.iterdir()} if folder.is_dir() else {str(folder)}
    return not names or (names <= OURS and (folder / "en" / "searchindex.js").exists())


def _build_language(course: Course, language: str, work: Path) -> set[PurePosixPath]:
    """Returns the files that its pages link to."""
    from sphinx.application import Sphinx
    from sphinx.errors import SphinxError
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    source = work / "source" / language
    for page in course.of(language).values():
        file = source / f"{page.name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(course.root / page.source, file)
    said = io.StringIO()
    settings = {
        "extensions": ["myst_parser", "website.extension"],
        "myst_gfm_only": True,
        "myst_heading_anchors": 6,
        "course": course,
        "site_language": language,
        "project": "Warpladder",
        "language": SPHINX_LANGUAGE[language],
        "root_doc": "index",
        "highlight_language": "text",
        "smartquotes": False,
        "html_theme": "furo",
        "html_title": "Warpladder",
        "html_favicon": str(HERE / "static" / "ladder.svg"),
        "html_theme_options": {"announcement": " ", "top_of_page_buttons": []},
        "html_copy_source": False,
        "html_show_sphinx": False,
        "html_show_copyright": False,
        "html_use_index": False,
        "templates_path": [str(HERE / "templates")],
        "html_static_path": [str(HERE / "static")],
    }
    with patch_docutils(), docutils_namespace():
        try:
            app = Sphinx(
                source,
                None,
                work / "site" / language,
                work / "parsed" / language,
                "html",
                settings,
                status=None,
                warning=said,
                warningiserror=True,
            )
            app.build()
        except SphinxError as error:
            raise Failure(f"{said.getvalue()}{error}") from error
    if app.statuscode:
        raise Failure(said.getvalue())
    return course.copied


def _copy_files(course: Course, folder: Path) -> None:
    """The files that pages link to. Of a folder, its files and a list of them."""
    for place in sorted(course.copied):
        here, there = course.root / place, folder / place
        there.parent.mkdir(parents=True, exist_ok=True)
        if here.is_file():
            shutil.copyfile(here, there)
            continue
        there.mkdir(exist_ok=True)
        files = sorted(file for file in here.iterdir() if file.is_file())
        for file in files:
            shutil.copyfile(file, there / file.name)
        items = "\n".join(f'<li><a href="{html.escape(file.name)}">{html.escape(file.name)}</a></li>' for file in files)
        page = (HERE / "templates" / "folder.html").read_text(encoding="utf-8")
        page = page.replace("{folder}", html.escape(str(place))).replace("{items}", items)
        (there / "index.html").write_text(page, encoding="utf-8")
