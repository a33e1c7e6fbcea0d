"""The pages of four labs in headless Chromium: opened, stepped through, looked at by axe. It needs what
requirements-browser.txt and Debian's chromium bring; elsewhere it is skipped.

With TEST_SCREENSHOTS=FOLDER it keeps a picture of each page, wide and narrow."""

import json
import os
import tempfile
import unittest
from itertools import accumulate
from pathlib import Path
from typing import Any

from launcher.paths import ROOT
from launcher.tests import chromium, sentences
from launcher.tests.machines import lab

PAGES = {
    "02": ("solutions/02_reduce_neighbored/reduce.cu", "--elements", "32"),
    "05": ("solutions/05_scan_hillis_steele/scan.cu", "--elements", "16"),
    "08": ("solutions/08_scan_blelloch/scan.cu", "--elements", "16"),
    "09": ("solutions/09_scan_blelloch_padded/scan.cu", "--elements", "16"),
    "16": ("solutions/16_histogram_shared_atomics/histogram.cu", "--elements", "32"),
}
VALUES = [3, 1, 7, 2, 4, 1, 6, 3]
WIDTHS = (1280, 360)


def setUpModule() -> None:
    """One browser and one folder of pages for all tests."""
    holder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(holder.cleanup)
    Browser.folder = Path(holder.name)
    Browser.browser = chromium.started()


class Browser(unittest.TestCase):
    folder: Path
    browser: Any

    def file(self, number: str) -> Path:
        """The page of a reference, made once."""
        made = self.folder / f"{number}.html"
        if not made.exists():
            source, *more = PAGES[number]
            answer = lab("report", number, "--file", ROOT / source, "--out", made, *more)
            self.assertEqual(answer.code, 0, answer.text)
            self.assertLess(made.stat().st_size, 2_000_000)
        return made

    def open(self, file: Path, width: int = 1280, **how: Any) -> Any:  # noqa: ANN401
        """The page in a browser without a network. At the end it must not have complained."""
        context = self.browser.new_context(viewport={"width": width, "height": 900}, offline=True, **how)
        self.addCleanup(context.close)
        page = context.new_page()
        page.set_default_timeout(5000)
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url) if not request.url.startswith("file:") else None)
        self.addCleanup(lambda: self.assertEqual(said, []))
        page.goto(file.as_uri())
        return page

    def array(self, page: Any, name: str) -> list[str]:  # noqa: ANN401
        """The values of an array as the page shows them now."""
        return page.locator(f'.array[data-array="{name}"] .cell b').all_inner_texts()

    def to_step(self, page: Any, step: int) -> None:  # noqa: ANN401
        page.locator("input[type=range]").first.fill(str(step))

    def to_end(self, page: Any) -> None:  # noqa: ANN401
        page.get_by_label("Warp", exact=True).select_option("all")
        self.to_step(page, int(page.locator("input[type=range]").first.get_attribute("max")))


class Values(Browser):
    """The last step shows the right answer, which is computed here in another way."""

    def last(self, number: str) -> list[list[str]]:
        page = self.open(self.file(number))
        self.to_end(page)
        self.assertEqual(page.evaluate("pages[0].player.replay.corrections"), 0, "each load found what the page shows")
        names = page.locator(".array").evaluate_all("all => all.map((one) => one.dataset.array)")
        return [self.array(page, name) for name in names]

    def elements(self, count: int) -> list[int]:
        return [VALUES[i % len(VALUES)] for i in range(count)]

    def test_the_sum_of_a_reduction(self) -> None:
        self.assertEqual(self.last("02")[-1], [str(sum(self.elements(32)))])

    def test_an_inclusive_scan(self) -> None:
        self.assertEqual(self.last("05")[-1], [str(one) for one in accumulate(self.elements(16))])

    def test_exclusive_scans(self) -> None:
        wanted = [str(one) for one in accumulate([0, *self.elements(15)])]
        self.assertEqual(self.last("08")[-1], wanted)
        self.assertEqual(self.last("09")[-1], wanted)

    def test_a_histogram(self) -> None:
        elements = self.elements(32)
        self.assertEqual(self.last("16")[-1][:8], [str(elements.count(value)) for value in range(8)])

    def test_the_tree_ends_in_the_answer(self) -> None:
        page = self.open(self.file("05"))
        rows = page.evaluate("pages[0].data.launches[0].rows[0].map((row) => row.cells.map((cell) => cell.v))")
        self.assertEqual(rows[0], self.elements(16))
        self.assertEqual(rows[-1], list(accumulate(self.elements(16))))
        self.assertEqual(len(rows), 7, "the input, the tile, the strides 1, 2, 4, 8, and the output")


class Work(Browser):
    """What happens while one steps through."""

    def banks(self, number: str) -> list[int]:
        """The worst bank of each step of warp 0."""
        page = self.open(self.file(number))
        return page.evaluate(
            """pages[0].player.places.map((at) => pages[0].player.replay.events[at])
               .filter((event) => event.elements.length && event.elements[0].array.space === "shared")
               .map((event) => Math.max(...pages[0].player.replay.banks(event).map((words) => words.size)))"""
        )

    def test_banks_conflict_without_padding_only(self) -> None:
        self.assertEqual(max(self.banks("08")), 16, "in the stride of 16 all 16 lanes want one bank")
        self.assertEqual(max(self.banks("09")), 1)

    def test_a_conflict_is_shown_and_said(self) -> None:
        page = self.open(self.file("08"))
        worst = self.banks("08")
        self.assertIn(16, worst)
        for step in range(60):
            self.to_step(page, step)
            if page.locator(".banks .conflict").count():
                break
        told = page.locator(".traffic p").inner_text()
        self.assertRegex(told, r"⚠ Bank conflict: one bank has to serve \d+ words")
        self.assertRegex(page.locator(".banks .conflict b").first.inner_text(), r"^\d+×$")
        self.assertIn("wavefronts", page.locator(".says").inner_text())

    def test_the_banks_are_the_recorded_wavefronts(self) -> None:
        """Loads and stores of 4 bytes: the wavefronts that lockstep recorded are the words of the worst bank."""
        page = self.open(self.file("08"))
        pairs = page.evaluate(
            """pages[0].player.replay.events.filter((event) => event.wavefronts && event.count === 1)
               .map((event) => [event, pages[0].player.replay.banks(event)])
               .map(([event, banks]) => [event.wavefronts, Math.max(...banks.map((words) => words.size))])"""
        )
        self.assertGreater(len(pairs), 100)
        self.assertEqual([pair for pair in pairs if pair[0] != pair[1]], [])

    def test_the_sectors_are_the_recorded_ones(self) -> None:
        page = self.open(self.file("02"))
        pairs = page.evaluate(
            """pages[0].player.replay.events.filter((event) => event.sectors)
               .map((event) => [event.sectors, pages[0].player.replay.sectors(event).length])"""
        )
        self.assertGreater(len(pairs), 5)
        self.assertEqual([pair for pair in pairs if pair[0] != pair[1]], [])

    def test_lanes_that_do_not_act_wait(self) -> None:
        page = self.open(self.file("02"))
        self.to_step(page, 1)
        self.assertEqual(page.locator(".cells.by32 .acts").count(), 16, "every second lane adds")
        self.assertEqual(page.locator(".cells.by32 .waits").count(), 16)

    def test_keys(self) -> None:
        from playwright.sync_api import expect

        page = self.open(self.file("05"))
        place = page.locator(".player output")
        page.get_by_role("button", name="Forward").focus()
        page.keyboard.press("ArrowRight")
        self.assertIn("Step 2 of", place.inner_text())
        page.keyboard.press("ArrowLeft")
        self.assertIn("Step 1 of", place.inner_text())
        page.keyboard.press("b")
        self.assertIn("come to a barrier", page.locator(".says").inner_text())
        page.keyboard.press("End")
        total = place.inner_text().split(" of ")[1].split(",")[0]
        self.assertIn(f"Step {total} of {total}", place.inner_text())
        page.keyboard.press("Home")
        page.locator("input[type=range]").first.focus()
        page.keyboard.press("Space")
        self.assertEqual(page.get_by_role("button", name="Pause").count(), 1)
        expect(place).to_contain_text("Step 3 of")
        page.keyboard.press("Space")
        self.assertEqual(page.get_by_role("button", name="Play").count(), 1)

    def test_the_order_of_tab(self) -> None:
        page = self.open(self.file("05"))
        page.get_by_label("Warp", exact=True).focus()
        met = []
        for _ in range(5):
            page.keyboard.press("Tab")
            met.append(page.evaluate("document.activeElement.textContent || document.activeElement.type"))
        self.assertEqual(met, ["◀ Back", "▶ Play", "Forward ▶", "To the next barrier", "range"])

    def test_the_counter_of_the_source_can_be_chosen(self) -> None:
        page = self.open(self.file("05"))
        page.get_by_label("Counter", exact=True).select_option(label="barrier instructions, one a warp")
        counts = [text for text in page.locator(".source tbody tr td:nth-child(2)").all_inner_texts() if text.strip()]
        self.assertEqual(counts, ["320", "320"], "32 warps, ten steps, at both barriers")


class Findings(Browser):
    def test_a_race_is_two_arrows_to_one_place(self) -> None:
        file, made = self.folder / "race.cu", self.folder / "race.html"
        lab("wrong", "05", "one_barrier", "--to", file)
        answer = lab("report", "05", "--file", file, "--out", made)
        self.assertEqual(answer.code, 0, answer.text)
        page = self.open(made)
        race = page.locator(".race").first
        self.assertRegex(race.locator(".place").inner_text(), r"s_sum\[\d+\]")
        self.assertEqual(race.locator(".arrow").all_inner_texts(), ["⟶", "⟵"])
        line = next(i for i, text in enumerate(file.read_text().splitlines(), 1) if "+= s_sum" in text)
        sites = race.locator("> div:not(.arrow):not(.place)").all_inner_texts()
        self.assertEqual(len(sites), 2)
        self.assertTrue(all(f"at line {line}" in site for site in sites), sites)
        self.assertNotEqual(sites[0], sites[1])
        self.assertIn("⚠", page.locator(f".source tr:has(td:text-is('⚠ {line}'))").first.inner_text())

    def test_two_versions_side_by_side(self) -> None:
        made = self.folder / "compare.html"
        files = [ROOT / PAGES[number][0] for number in ("08", "09")]
        answer = lab("compare", "09", *files, "--out", made)
        self.assertEqual(answer.code, 0, answer.text)
        self.assertRegex(answer.text, r"300 +0 +−300  bank conflicts of shared loads")
        page = self.open(made)
        self.assertEqual(page.locator(".player").count(), 2)
        row = page.locator("tr:has-text('bank conflicts of shared loads')").first
        self.assertIn("−300", row.inner_text())


class Chinese(Browser):
    def test_no_english_sentence_is_left(self) -> None:
        """All that the page shows or tells, at every step: but for code and what ncu prints."""
        for number in ("02", "08", "16"):
            made = self.folder / f"{number}.zh.html"
            source, *more = PAGES[number]
            answer = lab("--lang", "zh", "report", number, "--file", ROOT / source, "--out", made, *more)
            self.assertEqual(answer.code, 0, answer.text)
            page = self.open(made)
            said: list[str] = []
            for step in range(0, 60, 4):
                self.to_step(page, step)
                said += page.evaluate(
                    """() => {
                        const body = document.body.cloneNode(true);
                        const code = body.querySelectorAll("pre, code, script, noscript, .source tbody");
                        code.forEach((part) => part.remove());
                        const told = [...document.querySelectorAll("[title], [aria-label]")];
                        return [body.textContent, ...told.flatMap((one) => [one.title || "", one.ariaLabel || ""])];
                    }"""
                )
            said += page.evaluate("pages[0].player.replay.events.map((event) => pages[0].player.sentence(event))")
            self.assertEqual(page.evaluate("document.documentElement.lang"), "zh")
            self.assertRegex("".join(said), sentences.CHINESE)
            self.assertEqual({text for one in said for text in sentences.english(one)}, set(), number)


class Everybody(Browser):
    """Wide and narrow, light and dark, and by axe's rules."""

    def test_nothing_is_wider_than_the_window(self) -> None:
        for number in PAGES:
            for width in WIDTHS:
                page = self.open(self.file(number), width)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, number)
                self.keep(page, f"{number}_{width}")

    def keep(self, page: Any, name: str) -> None:  # noqa: ANN401
        if folder := os.environ.get("TEST_SCREENSHOTS"):
            page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)

    def test_axe_finds_nothing(self) -> None:
        from axe_playwright_python.sync_playwright import Axe

        for number in PAGES:
            for scheme in ("light", "dark"):
                page = self.open(self.file(number), color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
                self.to_step(page, 12)
                found = Axe().run(page).response
                told = [(one["id"], one["nodes"][0]["html"][:200]) for one in found["violations"]]
                self.assertEqual(told, [], f"{number}, {scheme}")
                self.assertGreater(len(found["passes"]), 20)
                if folder := os.environ.get("TEST_SCREENSHOTS"):
                    counts = {kind: len(found[kind]) for kind in ("passes", "violations", "incomplete")}
                    (Path(folder) / f"axe_{number}_{scheme}.json").write_text(json.dumps(counts), encoding="utf-8")


if __name__ == "__main__":
    chromium.run_tests("report.tests.browser_test")
