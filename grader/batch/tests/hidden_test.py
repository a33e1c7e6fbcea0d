"""--hidden FILE: a file that the judge would refuse is refused before anything is graded; no other file is refused."""

import json
import subprocess
import unittest

from batch.hidden import LONGEST, read_hidden
from launcher import judge, labs
from launcher.console import Failure
from launcher.paths import BUILD
from launcher.tests.machines import InAFolder

LAB = labs.find_lab("02")
ODD = ('"abc"', "-1", "true", "4.0", "null", "18446744073709551616")  # seeds
REFUSED: list[tuple[bytes | str, str]] = [
    (b"", "shorter than 16"),
    (b"x" * 15, "shorter than 16"),
    (b"x" * (LONGEST + 1), "larger than 1 MiB"),
    ('{"98_absent": [{"n": 7, "input": "ones"}]}', "98_absent"),
    (b"[1, 2, 3, 4, 5, 6, 7]", "no JSON object"),
    (b'[{"n": 7, "input": "ones"}]', "no JSON object"),
    (b'{"02_reduce_neighbored": [{"n": 7, ', "no JSON object"),
    (b'\xef\xbb\xbf \r\n\t{"02_reduce_neighbored": [{"n": 7, "input": "ones"},]}', "no JSON object"),
    ("[        ]", "list of cases"),
    ("70000000", "list of cases"),
    ("[7]", "must be an object"),
    ('[{"input": "ones"}]', '"n"'),
    ('[{"n": 7}]', '"input"'),
    ('[{"n": -7, "input": "ones"}]', "whole number"),
    ('[{"n": 7.5, "input": "ones"}]', "whole number"),
    ('[{"n": 99999999, "input": "ones"}]', "largest"),
    ('[{"n": 7, "input": "ones", "entry": "scan"}]', '"scan"'),
    ('[{"n": 7, "input": "ones", "sed": 4}]', 'unknown key "sed"'),
    ('[{"n": 7, "input": 4}]', '"input" of the wrong type'),
    ('[{"n": 0, "input": null}]', '"input" of the wrong type'),
    ('[{"n": 7, "input": "ones", "entry": 4}]', '"entry"'),
    *((f'[{{"n": 7, "input": "ones", "seed": {seed}}}]', '"seed" that is no whole') for seed in ODD),
    ('[{"n": 7, "input": "ones", "block": "64"}]', '"block" that is no whole number'),
    ('[{"n": 7, "input": "ones", "block": 4294967296}]', '"block" that is no whole number, or one out of range'),
]
TAKEN: list[bytes | str] = [
    b"x" * 16,
    bytes(range(256)),
    b"{not text: \xff\xfe\xfd" + bytes(16),
    b"a secret, {[not a list",
    '[{"n": 7, "input": "ones", "entry": "reduce_sum", "seed": 18446744073709551615}, {"n": 0, "block": 0}]',
]


class Hidden(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "secret"

    def write(self, secret: bytes | str) -> None:
        """text: the list for lab 02, or the whole file."""
        if isinstance(secret, str) and not secret.startswith("{"):
            secret = f'{{"{LAB.name}": {secret}}}'
        self.file.write_bytes(secret.encode() if isinstance(secret, str) else secret)

    def test_what_is_refused_says_why(self) -> None:
        for secret, saying in REFUSED:
            self.write(secret)
            with self.subTest(secret[:60]), self.assertRaisesRegex(Failure, "--hidden .*/secret: .*" + saying):
                read_hidden(str(self.file))
        for absent in (str(self.file.parent), str(self.file / "below"), "/nowhere/secret", ""):
            with self.assertRaisesRegex(Failure, f"--hidden {absent} cannot be read"):
                read_hidden(absent)

    def test_what_is_a_secret_is_taken_as_it_is(self) -> None:
        self.assertIsNone(read_hidden(None))
        for secret in TAKEN:
            self.write(secret)
            self.assertEqual(read_hidden(str(self.file)), self.file.read_bytes())

    @unittest.skipUnless((BUILD / "grader" / "judge").exists(), "the judge is not built")
    def test_the_judge_says_the_same(self) -> None:
        command = [*judge.command(BUILD, LAB, "lockstep"), "--file", str(LAB.source), "--hidden", str(self.file)]
        verdict = self.file.with_name("verdict.json")
        for secret, saying in REFUSED:
            self.write(secret)
            with self.subTest(secret[:60]):
                done = subprocess.run([*command, "--json", str(verdict)], capture_output=True, text=True)
                self.assertEqual(done.returncode, 2, done.stdout)
                facts = json.loads(verdict.read_text(encoding="utf-8"))
                self.assertRegex(facts["failure"]["steps"][0], saying)
        for secret in TAKEN:  # a case that does not exist, so that nothing has to be compiled
            self.write(secret)
            done = subprocess.run([*command, "--case", "hidden.99"], capture_output=True, text=True)
            self.assertIn('no hidden case "hidden.99"', done.stderr)


if __name__ == "__main__":
    unittest.main()
