"""The site is built strictly, and each link leads somewhere: a small course with planted faults, and this one."""

import re
import tempfile
import threading
import unittest
import urllib.request
from pathlib import Path

from launcher import wheels
from launcher.console import Failure
from launcher.paths import ROOT

if not wheels.installed(wheels.DOCS):
    raise unittest.SkipTest(f"{wheels.DOCS.name} is not installed in .venv; ./lab test installs it")

import website  # noqa: F401  it makes common.translation known
from website.build import build
from website.links import check
from website.serve import server
from website.tests import course

from common.translation import parity


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.root = course.write(Path(holder.name) / "course")
        self.site = Path(holder.name) / "site"

    def build(self) -> None:
        build(self.site, self.root)

    def text(self, page: str) -> str:
        return (self.site / page).read_text(encoding="utf-8")

    def shows(self, page: str, pattern: str) -> None:
        self.assertTrue(re.search(pattern, self.text(page), re.DOTALL), f"{page}: {pattern}")

    def change(self, page: str, old: str, new: str) -> None:
        text = (self.root / page).read_text(encoding="utf-8")
        self.assertIn(old, text)
        (self.root / page).write_text(text.replace(old, new), encoding="utf-8")


class Pages(Folder):
    """One site for all of them."""

    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.site = Path(holder.name) / "site"
        build(cls.site, course.write(Path(holder.name) / "course"))

    def setUp(self) -> None:
        """Nothing changes here."""

    def test_what_github_shows_is_shown(self) -> None:
        self.shows(
            "en/labs/00_hello/index.html", r"<details><summary>A nudge</summary>.*<strong>two</strong>.*</details>"
        )
        for shown in (
            '<img src="../../../files/docs/map.svg#lab00" alt="The map">',
            '<img src="../../../files/docs/map.svg" width="270" alt="small">',
            "<td><p>1<!-- alone.16 --></p></td>",
        ):
            self.shows("en/labs/00_hello/index.html", re.escape(shown))
        for shown in ("{curly}", "$x$ and -- stay", "% no comment"):
            self.shows("en/docs/scan.html", re.escape(shown))

    def test_headings_have_the_anchors_of_github(self) -> None:
        self.shows("en/labs/00_hello/index.html", 'id="what-you-gain"')
        self.shows("zh/labs/00_hello/index.html", 'id="得到什么"')

    def test_links(self) -> None:
        for goal in (
            "labs/00_hello/index.html#what-you-gain",
            "../zh/index.html",
            "../files/docs/figures.csv",
            "../files/tests/index.html",
            "tests/notes.html",
        ):
            self.shows("en/index.html", re.escape(f'href="{goal}"'))
        self.assertEqual((self.site / "files/tests/one.txt").read_text(encoding="utf-8"), "one\n")
        self.shows("zh/index.html", 'href="../en/docs/scan.html"')  # it has no Chinese page

    def test_each_page_leads_to_the_other_language(self) -> None:
        other = {
            "en/labs/00_hello/index.html": "../../../zh/labs/00_hello/index.html",
            "zh/labs/00_hello/index.html": "../../../en/labs/00_hello/index.html",
            "en/docs/scan.html": "../../zh/index.html",
            "zh/search.html": "../en/search.html",
        }
        for page, goal in other.items():
            self.shows(page, rf'announcement-content">\s*<a href="{re.escape(goal)}" hreflang')

    def test_the_words_of_the_generator_are_chinese_too(self) -> None:
        page = self.text("zh/labs/00_hello/index.html") + self.text("zh/index.html")
        for english in (
            "Skip to content",
            "Back to top",
            "Home",
            "Previous",
            "Next",
            "On this page",
            "Made with",
            "Search",
        ):
            self.assertFalse(re.search(rf">\s*{english}\b", page), english)

    def test_the_navigation_names_the_pages_by_groups(self) -> None:
        shown = re.findall(r'caption-text">([^<]+)', self.text("zh/labs/00_hello/index.html"))
        self.assertEqual(shown, ["实验"])
        shown = re.findall(r'caption-text">([^<]+)', self.text("en/search.html"))
        self.assertEqual(shown, ["Labs", "The ladder", "Further pages"])


class Stale(Folder):
    page = "zh/labs/00_hello/index.html"

    def setUp(self) -> None:
        super().setUp()
        for chinese in parity.translated(self.root):
            parity.write_record(chinese)

    def test_a_page_that_was_read_says_nothing(self) -> None:
        self.build()
        self.assertEqual(self.text(self.page).count("stale"), 0)

    def test_a_page_behind_its_english_one_says_so_at_its_top(self) -> None:
        self.change("labs/00_hello/README.md", "coalesced", "coalesced loads")
        self.build()
        self.shows(self.page, r"</h1>\s*<div class=\"stale admonition warning\">.*可能过时的章节：得到什么？。")
        self.shows(self.page, r'以<a[^>]* href="../../../en/labs/00_hello/index.html">英文页</a>为准')
        self.assertEqual(self.text("zh/index.html").count("stale"), 0)


class Faults(Folder):
    """Each ends the build, and no site is written."""

    def refuses(self, saying: str) -> None:
        with self.assertRaisesRegex(Failure, saying):
            self.build()
        self.assertFalse(self.site.exists())

    def test_a_link_to_nothing(self) -> None:
        self.change("README.md", "docs/figures.csv", "docs/figure.csv")
        self.refuses("README.md leads to docs/figure.csv, which is not here")

    def test_a_link_out_of_the_checkout(self) -> None:
        (self.root.parent / "secret").write_text("", encoding="utf-8")
        self.change("README.md", "docs/figures.csv", "../secret")
        self.refuses("README.md leads to ../secret, which is not here")

    def test_a_link_to_no_heading(self) -> None:
        self.change("README.zh.md", "#得到什么", "#得到")
        self.refuses("(?s)Links that lead nowhere:.*zh/index.html: labs/00_hello/.*that page has no such heading")

    def test_a_picture_that_is_not_here(self) -> None:
        self.change("labs/00_hello/README.zh.md", 'src="../../docs/map.svg', 'src="../../docs/maps.svg')
        self.refuses("labs/00_hello/README.zh.md leads to ../../docs/maps.svg")

    def test_a_warning_of_the_generator(self) -> None:
        self.change("labs/00_hello/README.md", "## What you gain", "#### What you gain")
        self.refuses("Non-consecutive header level")

    def test_a_folder_of_other_things_is_not_replaced(self) -> None:
        mine = self.root / "mine" / "index.html"
        mine.parent.mkdir()
        mine.write_text("mine", encoding="utf-8")
        for folder in (self.root, mine.parent, mine):
            with self.assertRaisesRegex(Failure, "holds something else"):
                build(folder, self.root)
        self.assertEqual(mine.read_text(encoding="utf-8"), "mine")

    def test_an_older_site_stays_if_the_build_fails_and_is_replaced_if_not(self) -> None:
        self.build()
        self.change("docs/scan.md", "# Scans", "# Sums")
        self.change("README.md", "docs/figures.csv", "docs/figure.csv")
        with self.assertRaises(Failure):
            self.build()
        self.shows("en/docs/scan.html", "<h1>Scans")
        self.change("README.md", "docs/figure.csv", "docs/figures.csv")
        self.build()
        self.shows("en/docs/scan.html", "<h1>Sums")


class Checker(Folder):
    def test_it_finds_what_is_planted(self) -> None:
        self.site.mkdir()
        (self.root / "a.html").write_text("", encoding="utf-8")
        links = ("b.html", "#here", "#there", "../course/a.html", "https://example.org/x")
        text = '<p id="here">' + "".join(f'<a href="{link}">' for link in links)
        (self.site / "a.html").write_text(text, encoding="utf-8")
        found = check(self.site)
        self.assertEqual(
            [line.split(": ")[1].split()[0] for line in found.broken], ["#there", "../course/a.html", "b.html"]
        )
        self.assertEqual(found.outside, {"https://example.org/x": "a.html"})
        self.assertEqual((found.pages, found.links), (1, 4))


class Serving(Folder):
    def test_sources_are_shown_as_text(self) -> None:
        (self.root / "a.cu").write_text("// ü\n", encoding="utf-8")
        with server(self.root, 0) as running:
            threading.Thread(target=running.serve_forever, daemon=True).start()
            with urllib.request.urlopen(f"http://127.0.0.1:{running.server_port}/a.cu", timeout=10) as answer:
                self.assertEqual(answer.headers["Content-Type"], "text/plain; charset=utf-8")
                self.assertEqual(answer.read().decode(), "// ü\n")
            running.shutdown()

    def test_a_port_that_is_in_use(self) -> None:
        with server(self.root, 0) as running, self.assertRaisesRegex(Failure, "port .* cannot be used: .* --port N"):
            server(self.root, running.server_port)


class ThisCourse(unittest.TestCase):
    def test_both_languages_are_built_strictly_and_every_link_leads_somewhere(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            site = Path(name) / "site"
            checked = build(site)
            for lab in ROOT.glob("labs/*/README.md"):
                self.assertTrue((site / "en" / "labs" / lab.parent.name / "index.html").exists(), lab)
            for chinese in parity.translated(ROOT):
                english = parity.original(chinese).relative_to(ROOT).with_suffix("")
                page = str(english).replace("README", "index")
                self.assertTrue((site / "zh" / f"{page}.html").exists(), chinese)
        self.assertGreater(checked.links, 5000)
        self.assertEqual(checked.broken, [])


if __name__ == "__main__":
    unittest.main()
