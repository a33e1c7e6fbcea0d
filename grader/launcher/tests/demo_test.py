"""./lab demo: a row for each lab, the panels of its picture, and the picture itself."""

import importlib.util
import json
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import main, mock, skipUnless

import commands
from launcher import demo, picture
from launcher.labs import find_lab
from launcher.tests.machines import ROOT, InAFolder

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


class Demo(InAFolder):
    """./lab demo with two labs, on a machine that has everything, with verdicts that are played."""

    def demo(self, *verdicts: str) -> tuple[int, list[str]]:
        """The exit code and what is said."""
        self.said: list[str] = []
        two = [find_lab("02"), find_lab("17")]
        rows = [row(lab.name, "reduction", 10, verdict=verdict) for lab, verdict in zip(two, verdicts, strict=True)]
        record = {"device": "H200", "date": "d", "rows": [row(two[0].name, "reduction", 10, time={"ms": 1.0})]}
        arguments = commands.PARSER.parse_args(["demo", "--device", "lockstep"])
        with (
            mock.patch.multiple(demo, BUILD=self.folder, _records=lambda: [record], setup=mock.DEFAULT) as played,
            mock.patch.object(demo.labs, "all_labs", lambda: two),
            mock.patch.object(demo, "grade", lambda _, lab, __: rows[two.index(lab)]),
            mock.patch.multiple(demo.build, configure=mock.DEFAULT, build=mock.DEFAULT) as built,
            mock.patch.object(demo.toolkit, "version", lambda _: "13.0"),
            mock.patch.object(demo.picture, "draw") as self.draw,
            mock.patch.object(demo, "say", lambda text="": self.said.append(text)),
        ):
            played["setup"].missing_opencl.return_value = []
            code = demo.run(arguments)
            self.assertIn("lab17.solution", built["build"].call_args.args[1])
        return code, self.said

    def test_the_table_the_record_and_the_picture(self) -> None:
        code, said = self.demo("accepted", "inconclusive")
        self.assertEqual(code, 0)
        self.assertEqual(said[:2], ["Grading the reference solutions on lockstep", ""])
        self.assertRegex(said[2], r"(?m)^02_reduce_neighbored +accepted")
        self.assertEqual(said[3:5], ["Not measured on H200 yet: 17_reduce_shuffle", ""])
        self.assertRegex(said[5], r"The ladder is drawn in .*ladder\.png")
        ladder = json.loads((self.folder / "ladder.json").read_text(encoding="utf-8"))
        self.assertEqual((ladder["device"], ladder["driver"], ladder["toolkit"]), ("lockstep", None, "13.0"))
        self.assertEqual([one["verdict"] for one in ladder["rows"]], ["accepted", "inconclusive"])
        kind, facts, target = self.draw.call_args.args
        self.assertEqual((kind, target), ("ladder", self.folder / "ladder.png"))
        self.assertEqual([panel["title"] for panel in facts["panels"]], ["Time on H200, measured d"])

    def test_a_reference_that_fails_is_a_failure(self) -> None:
        self.assertEqual(self.demo("accepted", "too slow")[0], 1)
        self.assertEqual(self.demo("no verdict", "accepted")[0], 1)


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
    def drawn(self, kind: str, facts: dict[str, Any]) -> Any:  # noqa: ANN401 (matplotlib's figure)
        import matplotlib
        from matplotlib.figure import Figure

        matplotlib.use("Agg")
        with (
            mock.patch.object(Figure, "savefig", autospec=True) as saved,
            mock.patch.object(sys, "path", [*sys.path, str(ROOT)]),  # for common.pictures
        ):
            getattr(picture, kind)(facts, "out.png")
        figure = saved.call_args.args[0]
        self.addCleanup(matplotlib.pyplot.close, figure)
        return figure

    def test_a_histogram_has_a_bar_for_each_byte(self) -> None:
        [axis] = self.drawn("histogram", {"file": "f", "counts": [3] * 255 + [1235], "wanted": None}).axes
        bars = [(round(bar.get_x() + bar.get_width() / 2), bar.get_width(), bar.get_height()) for bar in axis.patches]
        self.assertEqual(bars, [(byte, 1, 3) for byte in range(255)] + [(255, 1, 1235)])
        self.assertEqual(axis.get_title(loc="left"), "f: 2,000 bytes")
        self.assertEqual(axis.get_xlim(), (-1, 256))

    def test_words_have_a_bar_each_the_most_frequent_on_top(self) -> None:
        [axis] = self.drawn("words", {"file": "f", "words": [["the", 7], ["$x$", 2]]}).axes
        self.assertEqual([bar.get_width() for bar in axis.patches], [7, 2])
        self.assertEqual([text.get_text() for text in axis.get_yticklabels()], ["the", "$x$"])
        self.assertTrue(axis.yaxis_inverted())

    def test_a_ladder_is_climbed_upwards(self) -> None:
        places = (("a", "reduction", 2000.0), ("b", "scan", 8.0), ("c", "reduction", None), ("d", "other", 20.0))
        rows = [{"lab": lab, "family": family, "size": 4096, "value": value} for lab, family, value in places]
        figure = self.drawn(
            "ladder", {"panels": [{"title": t, "unit": "u", "rows": rows} for t in ("first", "second")]}
        )
        # A row for each family, a column for each panel; only the first row has titles.
        self.assertEqual([axis.get_title(loc="left") for axis in figure.axes], ["first", "second", *[""] * 4])
        names = [[label.get_text() for label in axis.get_yticklabels()] for axis in figure.axes[::2]]
        self.assertEqual(names, [["d\nn = 4,096"], ["b\nn = 4,096"], ["a\nn = 4,096", "c\nn = 4,096"]])
        texts = [[text.get_text() for text in axis.texts] for axis in figure.axes[::2]]
        self.assertEqual(texts, [["20"], ["8"], ["2,000", "not measured yet"]])

    def test_each_kind_is_drawn(self) -> None:
        rows = [{"lab": "a", "family": "scan", "size": 10, "value": 3.0}]
        rows += [{"lab": "b", "family": "other", "size": 10, "value": None}]
        out = self.folder / "deep" / "picture.png"
        with tempfile.TemporaryDirectory() as settings, mock.patch.dict("os.environ", MPLCONFIGDIR=settings):
            for kind, facts in (
                ("ladder", {"panels": [{"title": "t", "unit": "u", "rows": rows}]}),
                ("histogram", {"file": "f", "counts": [1] * 256, "wanted": None}),
                ("words", {"file": "f", "words": [["the", 2]]}),
            ):
                with mock.patch("launcher.setup.picture_python", lambda: Path(sys.executable)):
                    picture.draw(kind, facts, out)
                self.assertEqual(out.read_bytes()[:4], b"\x89PNG")
                out.unlink()
            with self.assertRaisesRegex(Exception, "could not be drawn"):
                picture.draw("histogram", {}, out)


if __name__ == "__main__":
    main()
