"""./lab check from end to end: exit codes, the verdict as JSON, the histogram of a file."""

import json
import re
import unittest
from collections import Counter

from launcher.paths import BUILD
from launcher.tests.machines import ROOT, InAFolder, lab

REDUCE = ROOT / "solutions" / "02_reduce_neighbored" / "reduce.cu"
HISTOGRAM = ROOT / "solutions" / "15_histogram_global_atomics" / "histogram.cu"


class Check(InAFolder):
    def test_a_pass_is_zero(self) -> None:
        verdict = self.folder / "verdict.json"
        answer = lab("check", "2", "--file", REDUCE, "--device", "lockstep", "--json", verdict)
        self.assertEqual(answer.code, 0, answer.text)
        self.assertEqual(json.loads(verdict.read_text(encoding="utf-8"))["verdict"], "accepted")

    def test_a_compile_error_is_the_files_own_and_shown(self) -> None:
        file = self.folder / "mine.cu"
        file.write_text("int sum(int x) { return x + nonsense; }\n", encoding="utf-8")
        answer = lab("check", "02", "--file", file, "--device", "lockstep")
        self.assertEqual(answer.code, 1, answer.text)
        self.assertIn('identifier "nonsense" is undefined', answer.text)

    def test_a_failed_case_says_how_to_repeat_it(self) -> None:
        file = self.folder / "mine.cu"
        file.write_text(
            '#include "common/contracts/reduction.h"\nint reduce_sum(int*, int) { return 5; }\n', encoding="utf-8"
        )
        answer = lab("check", "02", "--file", file, "--device", "lockstep")
        self.assertEqual(answer.code, 1, answer.text)
        self.assertRegex(answer.text, r"got 5, want -?\d+")
        self.assertRegex(answer.text, r"\./lab check 02 --file \S+mine.cu --device lockstep --case \S+ --seed \d+")

    def test_chinese_is_said_and_the_verdict_stays_as_it_is(self) -> None:
        file = self.folder / "mine.cu"
        file.write_text(
            '#include "common/contracts/reduction.h"\nint reduce_sum(int*, int) { return 5; }\n', encoding="utf-8"
        )
        verdicts = [self.folder / "en.json", self.folder / "zh.json"]
        for language, verdict in zip(("en", "zh"), verdicts, strict=True):
            options = ("--file", file, "--device", "lockstep", "--seed", "7", "--json", verdict)
            answer = lab("--lang", language, "check", "02", *options)
            self.assertEqual(answer.code, 1, answer.text)
        self.assertIn("\n  答案错误 · case.reduce_sum.", answer.text)
        self.assertRegex(answer.text, r"返回的和：得到 5，应为 -?\d+")
        self.assertRegex(answer.text, r"\n  下一步 [\u4e00-\u9fff]")
        english = json.loads(verdicts[0].read_text(encoding="utf-8"))
        self.assertEqual(english, json.loads(verdicts[1].read_text(encoding="utf-8")))
        self.assertRegex(english["failure"]["steps"][1], r"the returned sum: got 5, want -?\d+")

    def test_a_submission_cannot_command_the_terminal(self) -> None:
        """Neither by its name, nor by its code, nor by what it prints."""
        spell = "\x1b[2J\u202e\u2066\u009b"
        code = '#include "common/contracts/reduction.h"\n#include <cstdio>\n'
        code += f'int reduce_sum(int*, int) {{ fputs("{spell}\\x9b1m\\a", stdout); fflush(stdout); return 5; }}\n'
        verdict = self.folder / "verdict.json"
        for name, text in ((f"{spell}.cu", code), ("mine.cu", f"#error {spell}\nint {spell};\n")):
            file = self.folder / name
            file.write_text(text, encoding="utf-8")
            case = ("--case", "reduce_sum.1025.ones") if text == code else ()
            answer = lab("check", "02", "--file", file, "--device", "lockstep", "--json", verdict, *case)
            self.assertEqual(answer.code, 1, answer.text)
            for shown in (answer.text, verdict.read_text(encoding="utf-8")):
                self.assertIsNone(
                    re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown), repr(shown)
                )
            self.assertIn("\\u001b[2J", answer.text)

    def test_bytes_of_a_file(self) -> None:
        verdict, licence = self.folder / "verdict.json", ROOT / "LICENSE"
        picture = BUILD / "histogram_15.png"
        picture.unlink(missing_ok=True)
        answer = lab("check", "15", "--file", HISTOGRAM, "--input", licence, "--device", "lockstep", "--json", verdict)
        self.assertEqual(answer.code, 0, answer.text)
        counted = Counter(licence.read_bytes())
        self.assertEqual(
            json.loads(verdict.read_text(encoding="utf-8"))["histogram"], [counted[value] for value in range(256)]
        )
        self.assertRegex(answer.text, rf"65 e +{counted[ord('e')]}\b")
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")

    def test_a_wrong_histogram_is_drawn_beside_the_right_one(self) -> None:
        file, text = self.folder / "mine.cu", self.folder / "text"
        file.write_text(HISTOGRAM.read_text(encoding="utf-8").replace("&bins[data[i]], 1u", "&bins[data[i]], 2u"))
        text.write_text("abca", encoding="utf-8")
        picture = BUILD / "histogram_15.png"
        picture.unlink(missing_ok=True)
        answer = lab("check", "15", "--file", file, "--input", text, "--device", "lockstep")
        self.assertEqual(answer.code, 1, answer.text)
        self.assertIn("3 of 256 bins are wrong:\n    61 a  got 4, want 2\n    62 b  got 2, want 1\n", answer.text)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")


if __name__ == "__main__":
    unittest.main()
