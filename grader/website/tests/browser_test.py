"""The site in headless Chromium: it is searched in both languages, asks nothing from outside, and is looked at by axe.
It needs what requirements-browser.txt, requirements-docs.txt and Debian's chromium bring; elsewhere it is skipped."""

import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any

from launcher import wheels
from launcher.tests import chromium

PAGES = ("index", "labs/00_hello/index", "docs/lockstep", "docs/model", "search")
WIDTHS = (1280, 360)


def setUpModule() -> None:
    """One site and one browser for all tests."""
    from website.build import build
    from website.serve import server

    holder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(holder.cleanup)
    site = Path(holder.name) / "site"
    build(site)
    running = server(site, 0)
    unittest.addModuleCleanup(running.server_close)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    unittest.addModuleCleanup(running.shutdown)
    Browser.home = f"http://127.0.0.1:{running.server_port}/"
    Browser.browser = chromium.started()


class Browser(unittest.TestCase):
    home: str
    browser: Any

    def open(self, address: str, width: int = 1280, **how: Any) -> Any:  # noqa: ANN401
        """The page. At the end it must not have complained, and must have asked only our own server."""
        context = self.browser.new_context(viewport={"width": width, "height": 900}, **how)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(10_000)
        said: list[str] = []
        page.on("console", lambda message: said.append(f"{message.text} {message.location}"))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda asked: said.append(asked.url) if not asked.url.startswith(self.home) else None)
        self.addCleanup(lambda: self.assertEqual(said, []))
        page.goto(self.home + address)
        return page


class Search(Browser):
    def search(self, language: str, words: str) -> Any:  # noqa: ANN401
        page = self.open(f"{language}/index.html")
        page.locator("input[name=q]").fill(words)
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{language}/search.html?**")
        page.locator(".search-summary").wait_for()
        page.wait_for_function("document.querySelector('.search-summary').textContent.match(/[0-9]|没有/)")
        return page

    def finds(self, language: str, words: str) -> None:
        """The first result leads to a page that has the words."""
        page = self.search(language, words)
        page.locator("#search-results li a").first.click()
        page.wait_for_url(lambda url: "search.html" not in url)
        self.assertIn(f"/{language}/", page.url)
        self.assertIn(words.lower(), page.locator("article").inner_text().lower())

    def test_an_english_word(self) -> None:
        self.finds("en", "coalescing")

    def test_a_name_of_cuda(self) -> None:
        self.finds("en", "cudaMemcpy")

    def test_chinese_words(self) -> None:
        for words in ("共享内存", "线程束", "存", "lockstep"):
            with self.subTest(words):
                self.finds("zh", words)

    def test_words_that_no_page_has(self) -> None:
        for words in ("斑马", "内存斑马"):
            self.assertEqual(self.search("zh", words).locator("#search-results li").count(), 0, words)


class Languages(Browser):
    def test_the_start_chooses_the_language_of_the_browser(self) -> None:
        for locale, language in (("zh-CN", "zh"), ("en-GB", "en"), ("fr-FR", "en")):
            page = self.open("", locale=locale)
            page.wait_for_url(f"**/{language}/index.html")

    def test_to_the_other_language_and_back(self) -> None:
        page = self.open("en/labs/00_hello/index.html")
        page.locator(".announcement a").click()
        page.wait_for_url("**/zh/labs/00_hello/index.html")
        page.locator(".announcement a").click()
        page.wait_for_url("**/en/labs/00_hello/index.html")


class Everybody(Browser):
    def test_nothing_is_wider_than_the_window(self) -> None:
        for language in ("en", "zh"):
            for name in PAGES:
                for width in WIDTHS:
                    page = self.open(f"{language}/{name}.html", width)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, page.url)

    def test_axe_finds_nothing(self) -> None:
        from axe_playwright_python.sync_playwright import Axe

        for language in ("en", "zh"):
            for name in PAGES:
                for scheme in ("light", "dark"):
                    page = self.open(f"{language}/{name}.html", color_scheme=scheme, reduced_motion="reduce")
                    found = Axe().run(page).response
                    told = [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]]
                    with self.subTest(page=page.url, scheme=scheme):
                        self.assertEqual(told, [])
                        self.assertGreater(len(found["passes"]), 15)


if __name__ == "__main__":
    chromium.run_tests("website.tests.browser_test", wheels.DOCS)
