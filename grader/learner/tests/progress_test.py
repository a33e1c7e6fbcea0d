"""The progress file: it survives updates, damage and two terminals at once."""

import contextlib
import io
import json
import multiprocessing
import os
import stat
import unittest

from learner import progress
from learner.tests.courses import WithProgress


def add_hint(name: str, times: int) -> None:
    for _ in range(times):
        progress.change(name, lambda entry: entry.update(hints=entry["hints"] + 1))


class Progress(WithProgress):
    def load(self) -> dict[str, progress.Entry]:
        self.said = io.StringIO()
        with contextlib.redirect_stderr(self.said):
            return progress.load()

    def beside(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir() if path != self.file)

    def test_nothing_yet(self) -> None:
        self.assertEqual(self.load(), {})
        self.assertEqual(progress.entry({}, "02_x"), progress.EMPTY)
        self.assertFalse(self.file.exists(), "reading makes no file")

    def test_what_is_written_is_read_again(self) -> None:
        progress.change("02_x", lambda entry: entry["checks"].update(accepted=2))
        changed = progress.change("02_x", lambda entry: entry.update(hints=1))
        self.assertEqual(changed["checks"], {"accepted": 2})
        self.assertEqual(self.load()["02_x"], progress.EMPTY | {"checks": {"accepted": 2}, "hints": 1})
        self.assertEqual(progress.EMPTY["checks"], {}, "entries share nothing")

    def test_an_older_file_and_an_unknown_key_are_kept(self) -> None:
        self.file.write_text('{"format": 1, "labs": {"02_x": {"hints": 2, "stars": 5}}}', encoding="utf-8")
        progress.change("03_y", lambda entry: None)
        self.assertEqual(self.load()["02_x"], progress.EMPTY | {"hints": 2, "stars": 5})

    def test_what_cannot_be_used_is_kept_beside(self) -> None:
        newer = json.dumps({"format": progress.FORMAT + 1, "labs": {}})
        for text, why in (
            (newer, "of a newer Warpladder"),
            ("{", "is damaged"),
            ("[]", "is damaged"),
            ('{"format": 1, "labs": {"02_x": {"hints": "two"}}}', "is damaged"),
            ('{"format": 1, "labs": [1]}', "is damaged"),
            ('{"format": "1", "labs": {}}', "is damaged"),
        ):
            with self.subTest(text):
                self.file.write_text(text, encoding="utf-8")
                before = self.beside()
                self.assertEqual(self.load(), {})
                (kept,) = set(self.beside()) - set(before)
                self.assertEqual((self.folder / kept).read_text(encoding="utf-8"), text)
                self.assertIn(why, self.said.getvalue())
                self.assertIn(kept, self.said.getvalue())
                self.assertFalse(self.file.exists())

    def test_bytes_that_are_no_text(self) -> None:
        self.file.write_bytes(b"\xff\xfe{}")
        self.assertEqual(self.load(), {})
        self.assertEqual([(self.folder / name).read_bytes() for name in self.beside()], [b"\xff\xfe{}"])

    def test_two_terminals_lose_nothing(self) -> None:
        context = multiprocessing.get_context("fork")
        both = [context.Process(target=add_hint, args=(name, 40)) for name in ("02_x", "03_y", "02_x")]
        for one in both:
            one.start()
        for one in both:
            one.join()
        self.assertEqual({name: entry["hints"] for name, entry in self.load().items()}, {"02_x": 80, "03_y": 40})
        self.assertEqual(self.beside(), [], "no unfinished file stays")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_cannot_be_written(self) -> None:
        self.folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
        self.addCleanup(self.folder.chmod, stat.S_IRWXU)
        self.unwritten()

    def test_a_place_that_is_no_folder(self) -> None:
        os.environ["WARPLADDER_PROGRESS"] = "/dev/null/progress.json"
        self.unwritten()

    def unwritten(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            entry = progress.change("02_x", lambda entry: entry.update(hints=1))
        self.assertEqual(entry["hints"], 1, "the command goes on")
        self.assertIn("Your progress is not kept", said.getvalue())


if __name__ == "__main__":
    unittest.main()
