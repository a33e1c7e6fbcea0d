"""The page as a file: it needs no network, and nothing that a learner wrote becomes markup."""

import json
import re
import unittest
from html.parser import HTMLParser
from pathlib import Path

from launcher.labs import find_lab
from report import page
from report.runs import Runs
from report.tests.recordings import access, trace

SPELL = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>&amp;\u2028$data ${style}"
ACCEPTED = {"verdict": "accepted", "failed_check": None, "failure": None, "cases_passed": 1, "cases_planned": 1}


def hostile() -> Runs:
    return Runs(
        find_lab("05"), Path(f"/tmp/{SPELL.replace('/', '')}.cu"), f"int x; // {SPELL}\n", "scan_inclusive", (1, 2),
        ACCEPTED, trace=trace(access("load", SPELL, [0, 1], [1.0, 2.0])),
    )  # fmt: skip


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(value) for name, value in attributes if name in ("src", "href", "action")]


class Page(unittest.TestCase):
    def test_hostile_names_and_sources_are_text(self) -> None:
        text = page.html([page.data(hostile())])
        self.assertEqual(Tags(text).tags.count("script"), 3, "the texts, the data, and the only one that runs")
        self.assertNotIn("img", Tags(text).tags)
        found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
        (data,) = json.loads(found[1])
        self.assertEqual(data["source"][0], f"int x; // {SPELL}", "U+2028 ends no line of C++")
        self.assertEqual(data["launches"][0]["arrays"][0]["name"], SPELL)

    def test_nothing_is_loaded(self) -> None:
        text = page.html([page.data(hostile())])
        self.assertEqual(Tags(text).links, [])
        self.assertNotRegex(text, r"@import|url\(|https?://(?!www\.w3\.org/2000/svg)|fetch\(|XMLHttpRequest")
        self.assertIn("default-src 'none'", text)

    def test_no_text_is_written_as_markup(self) -> None:
        for name in page.SCRIPTS:
            script = (page.HERE / name).read_text(encoding="utf-8")
            self.assertNotRegex(
                script, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", name
            )

    def test_bytes_that_are_not_text(self) -> None:
        runs = Runs(find_lab("05"), Path("a\udce9.cu"), "\ufffd\x00", "scan_inclusive", (1,), ACCEPTED)
        page.html([page.data(runs)]).encode()

    def test_without_a_recording_it_says_why(self) -> None:
        data = page.data(
            Runs(
                find_lab("20"),
                Path("a.cc"),
                "",
                "scan_exclusive_opencl",
                (1,),
                ACCEPTED,
                says="lockstep does not run OpenCL",
            )
        )
        self.assertEqual((data["says"], data["launches"], data["details"]), ("lockstep does not run OpenCL", [], ""))
        data = page.data(Runs(find_lab("01"), Path("a.cu"), "", "scan_inclusive_cpu", (1,), ACCEPTED))
        self.assertIn("scan_inclusive_cpu started no kernel", data["says"])


if __name__ == "__main__":
    unittest.main()
