"""./lab demo: a row for each lab, the panels of its picture, and the picture itself."""

import importlib.util
import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import main, mock, skipUnless

from launcher import demo, picture
from launcher.labs import find_lab
from launcher.tests.machines import InAFolder

INSTRUCTIONS = "smsp__inst_executed.sum"
LOADS, STORES = (f"l1tex__t_sectors_pipe_lsu_mem_global_op_{access}.sum" for access in ("ld", "st"))


def row(lab: str, family: str, size: int, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {"lab": lab, "family": family, "size": size, "verdict": "accepted", **more}


class Row(InAFolder):
    """The row of lab 02, of a judge that writes this verdict and then ends so."""

    def row(self, verdict: str, end: str) -> dict[str, Any]:
        judge = self.folder / "grader" / "judge"
        judge.parent.mkdir(exist_ok=True)
        written = json.dumps({"verdict": verdict, "cases": [1], "file": "f", "lab": "02_reduce_neighbored"})
        judge.write_text(f"#!/bin/sh\nwhile [ $1 != --json ]; do shift; done\necho '{written}' > $2\n{end}\n")
        judge.chmod(0o755)
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        with mock.patch.object(demo, "LOGS", logs), mock.patch.object(demo, "say"):
            return demo.grade(self.folder, find_lab("02"), "lockstep")

    def test_a_verdict_counts_if_the_judge_came_to_its_end(self) -> None:
        for verdict, end in (("accepted", "exit 0"), ("broken rule", "exit 1"), ("judge fault", "exit 2")):
            self.assertEqual(self.row(verdict, end)["verdict"], verdict)
        for end in ("kill -9 $$", "exit 139", "exit 3"):
            self.assertEqual(self.row("accepted", end)["verdict"], "no verdict", end)

    def test_a_record_needs_no_cases_and_no_paths(self) -> None:
        found = self.row("accepted", "exit 0")
        self.assertEqual(sorted(found), ["family", "lab", "size", "verdict"])
        self.assertEqual((found["family"], found["size"]), ("reduction", find_lab("02").facts["sizes"]["real"]))


class Panels(InAFolder):
    def panels(self, ladder: dict[str, Any], *records: dict[str, Any]) -> list[dict[str, Any]]:
        for at, record in enumerate(records):
            folder = self.folder / f"card{at}"
            folder.mkdir()
            for name, content in (("ladder_1.json", {}), ("ladder_2.json", record)):
                (folder / name).write_text(json.dumps(content), encoding="utf-8")
        with mock.patch.object(demo, "RECORDS", self.folder):
            return demo.panels(ladder)

    def test_what_lockstep_counts_stands_beside_what_cards_measured(self) -> None:
        counters = {INSTRUCTIONS: 20, LOADS: 30, STORES: 10}
        modelled = {"speed": {"modelled": {"NVIDIA H200": {"ms": 0.5}}}}
        rows = [row("a", "scan", 10, counters=counters, **modelled), row("b", "scan", 10)]
        record = {"device": "card", "date": "today", "rows": [row("a", "scan", 10, time={"ms": 2e-6})]}
        found = self.panels({"device": "lockstep", "rows": rows}, record)
        titles = [panel["title"].partition(" ")[0] for panel in found]
        self.assertEqual(titles, ["Instructions", "Global", "Time", "Time"])
        values = [[(one["lab"], one["value"]) for one in panel["rows"]] for panel in found]
        self.assertEqual(values, [[("a", 2)], [("a", 4)], [("a", 5e7)], [("a", 200), ("b", None)]])
        self.assertEqual(found[3]["title"], "Time on card, measured today")
        self.assertEqual(found[3]["unit"], "picoseconds per element")

    def test_on_a_card_its_own_times_come_first(self) -> None:
        record = {"device": "old", "date": "then", "rows": [row("a", "scan", 10, time={"ms": 4e-6})]}
        mine = {"device": "new", "date": "now", "rows": [row("a", "scan", 10, time={"ms": 2e-6})]}
        found = self.panels(mine, record)
        self.assertEqual(
            [panel["title"] for panel in found],
            [f"Time on {what}" for what in ("new, measured now", "old, measured then")],
        )


@skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not here")
class Picture(InAFolder):
    def test_each_kind_is_drawn(self) -> None:
        rows = [{"lab": "a", "family": "scan", "size": 10, "value": 3.0}]
        rows += [{"lab": "b", "family": "other", "size": 10, "value": None}]
        out = self.folder / "deep" / "picture.png"
        with tempfile.TemporaryDirectory() as settings, mock.patch.dict("os.environ", MPLCONFIGDIR=settings):
            for kind, facts in (
                ("ladder", {"panels": [{"title": "t", "unit": "u", "rows": rows}]}),
                ("histogram", {"file": "f", "counts": [1] * 256}),
            ):
                with mock.patch("launcher.setup.picture_python", lambda: Path(sys.executable)):
                    picture.draw(kind, facts, out)
                self.assertEqual(out.read_bytes()[:4], b"\x89PNG")
                out.unlink()
            with self.assertRaisesRegex(Exception, "could not be drawn"):
                picture.draw("histogram", {}, out)


if __name__ == "__main__":
    main()
