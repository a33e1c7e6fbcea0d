"""Tests of old_cards.py: what becomes of nvcc's arguments, and how a Makefile finds the nvcc that does it."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from launcher import old_cards

TELL = """#!/bin/sh
[ "$1" = --list-gpu-arch ] && printf 'compute_75\\ncompute_80\\n' && exit
echo "$@"
"""


class OldCards(unittest.TestCase):
    def renewed(self, *arguments: str) -> tuple[str, list[str]]:
        words, dropped = old_cards.renewed(list(arguments), 75)
        return " ".join(words), dropped

    def test_each_form_of_an_old_card(self) -> None:
        for old, new, dropped in (
            ("-arch=sm_35", "-arch=sm_75", ["sm_35"]),
            ("-arch compute_60", "-arch compute_75", ["compute_60"]),
            ("--gpu-architecture=sm_70", "--gpu-architecture=sm_75", ["sm_70"]),
            ("-gencode arch=compute_52,code=sm_52", "-gencode arch=compute_75,code=sm_75", ["compute_52", "sm_52"]),
            (
                "--generate-code=arch=compute_37,code=[compute_37,sm_86]",
                "--generate-code=arch=compute_75,code=[compute_75,sm_86]",
                ["compute_37"],
            ),
            ("-arch=sm_30 -code=sm_30,sm_35", "-arch=sm_75 -code=sm_75,sm_75", ["sm_30", "sm_35"]),
            ("--gpu-code lto_61", "--gpu-code lto_75", ["lto_61"]),
        ):
            with self.subTest(old):
                self.assertEqual(self.renewed(*old.split()), (new, dropped))

    def test_all_else_stays(self) -> None:
        for command in (
            "-arch=sm_75 -gencode arch=compute_90a,code=sm_90a -arch=native -arch=all-major",
            "-Dsm_35 -o sm_35 -Iarch=sm_35 sm_35.cu -Xptxas --gpu-name=sm_35 -architecture=sm_35 -code",
            "-arch=sm_100f",
        ):
            with self.subTest(command):
                self.assertEqual(self.renewed(*command.split()), (command, []))

    def test_a_toolkit_of_links(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            top, folder = Path(name) / "cuda it's", Path(name) / "links"
            (top / "bin").mkdir(parents=True)
            (top / "include").mkdir()
            for tool, text in (("nvcc", TELL), ("ptxas", "#!/bin/sh\necho ptxas\n")):
                (top / "bin" / tool).write_text(text, encoding="utf-8")
                (top / "bin" / tool).chmod(0o755)
            for _again in range(2):
                nvcc = old_cards.toolkit(top / "bin" / "nvcc", folder) / "bin" / "nvcc"
            self.assertEqual((folder / "include").resolve(), (top / "include").resolve())
            self.assertEqual(subprocess.check_output([folder / "bin" / "ptxas"], text=True), "ptxas\n")
            for arguments, out, told in (
                (["-arch=sm_20", "two words.cu"], "-arch=sm_75 two words.cu\n", "sm_20"),
                (["-arch=sm_80", "a.cu"], "-arch=sm_80 a.cu\n", ""),
            ):
                answer = subprocess.run([nvcc, *arguments], capture_output=True, text=True, check=True)
                self.assertEqual(answer.stdout, out)
                self.assertEqual(told in answer.stderr and bool(answer.stderr), bool(told), answer.stderr)


if __name__ == "__main__":
    unittest.main()
