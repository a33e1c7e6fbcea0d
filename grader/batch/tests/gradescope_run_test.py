"""The work at Gradescope for one submission, with a fake judge: results.json for a grade, and for our own trouble."""

import contextlib
import io
import json
from typing import Any
from unittest import main, mock

from batch.autograder import run
from batch.reports.gradescope import MARK
from batch.tests.machinery import FakeTree
from launcher import build
from launcher.tests.machines import InAFolder

EARLIER = {"score": 70.0, "results": {"extra_data": {MARK: {"verdicts": {}}}}}


class Run(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.fake = FakeTree(self.folder)
        self.root = self.folder / "autograder"
        for name in ("source", "submission", "results"):
            (self.root / name).mkdir(parents=True)
        self.assign(lab="02")

    def assign(self, **changes: Any) -> None:  # noqa: ANN401
        assignment = {"lab": None, "seed": 5, "commit": "abc", "minutes": 10, "hidden_until": "after_published"}
        (self.root / "source" / "assignment.json").write_text(json.dumps(assignment | changes), encoding="utf-8")

    def results(self, order: str, previous: list[Any] | None = None) -> dict[str, Any]:
        """results.json if the judge does this."""
        (self.root / "submission" / "reduce.cu").write_text(f"// fake: {order}\n", encoding="utf-8")
        metadata = {"users": [{"email": "jane@uni.example"}], "previous_submissions": previous or []}
        (self.root / "submission_metadata.json").write_text(json.dumps(metadata), encoding="utf-8")
        quiet = mock.patch.object(run, "say"), contextlib.redirect_stderr(io.StringIO())
        with quiet[0], quiet[1], mock.patch.dict(build.TREES, {run.DEVICE: self.fake.tree}):
            self.assertEqual(run.run(self.root), 0)
        return json.loads((self.root / "results" / "results.json").read_text(encoding="utf-8"))

    def test_a_grade(self) -> None:
        self.assertEqual(self.results("accepted = 90")["score"], 90)
        self.assertEqual(self.results("wrong answer = 0")["score"], 0)
        self.assertEqual(self.fake.calls(), 2)

    def test_our_trouble_gives_no_score_and_keeps_the_earlier_one(self) -> None:
        for order in ("crash", "nothing", "judge fault = no disk", "accepted = 100, then signal"):
            results = self.results(order)
            self.assertNotIn("score", results, order)
            self.assertRegex(
                results["output"], "^The autograder had trouble.*[^.]*Your instructor can run the autograder again"
            )
            self.assertEqual(self.results(order, [EARLIER])["score"], 70)
            self.assertIn("Your earlier score, 70, stands.", self.results(order, [EARLIER])["output"])

    def test_too_late_is_our_trouble(self) -> None:
        self.assign(lab="02", minutes=1)  # all of it is kept for everything but the judge
        with mock.patch.object(run, "_judged", wraps=run._judged) as judged:
            results = self.results("hang")
        self.assertNotIn("score", results)
        self.assertIn("give the assignment more time", json.dumps(results))
        self.assertEqual(judged.call_args.args[3], 1.0, "seconds")


if __name__ == "__main__":
    main()
