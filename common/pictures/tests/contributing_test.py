"""docs/CONTRIBUTING.md: the paths that it names exist, and each file of a list contains the example of the list."""

import re
import unittest
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
PAGE = TREE / "docs" / "CONTRIBUTING.md"
PATH = re.compile(r"`([\w.][\w.-]*/[\w./-]*)`")
LIST = re.compile(r"<!-- like: (.+?) -->\n((?:- .*\n)+)")
MADE_UP = ("NN_name", "build/")  # paths in a lab that does not exist, and in a build tree
CODE = (".cc", ".h", ".def", ".csv")  # the code of lockstep's rooms
ROOMS = TREE / "common" / "lockstep"


def named(text: str) -> list[str]:
    return [
        path for path in PATH.findall(text) if not path.startswith(".") and not any(word in path for word in MADE_UP)
    ]


def contains(file: Path, word: str) -> bool:
    """Whether the word is in the file or is its name."""
    whole_word = rf"\b{re.escape(word)}\b"
    return file.stem == word or re.search(whole_word, file.read_text(encoding="utf-8")) is not None


def code_with(word: str) -> set[str]:
    """Files of lockstep's rooms that contain the word; tests and benchmarks are not rooms."""
    files = [file for file in ROOMS.rglob("*") if file.suffix in CODE and not {"tests", "bench"} & set(file.parts)]
    return {str(file.relative_to(TREE)) for file in files if contains(file, word)}


class Contributing(unittest.TestCase):
    def setUp(self) -> None:
        self.text = PAGE.read_text(encoding="utf-8")

    def test_every_path_is_there(self) -> None:
        self.assertGreater(len(named(self.text)), 30)
        for path in named(self.text):
            with self.subTest(path=path):
                self.assertTrue((TREE / path).exists(), "there is no such file; docs/CONTRIBUTING.md names it")

    def test_every_file_of_a_list_contains_the_example(self) -> None:
        lists = LIST.findall(self.text)
        self.assertEqual(6, len(lists))
        for word, items in lists:
            for item in items.splitlines():
                path = named(item)[0]
                with self.subTest(example=word, path=path):
                    self.assertTrue((TREE / path).exists() and contains(TREE / path, word), f"{word} is not there")

    def test_a_list_names_every_file_of_lockstep_that_contains_the_example(self) -> None:
        for word, items in LIST.findall(self.text):
            if word != "reduction":  # which is also a word of English
                with self.subTest(example=word):
                    self.assertEqual(set(), code_with(word) - set(named(items)), "docs/CONTRIBUTING.md lacks these")

    def test_the_files_that_define_arithmetic(self) -> None:
        listed = re.search(r"<!-- define -->\n(.*)\n", self.text)
        assert listed is not None
        sources = (TREE / "common" / "lockstep" / "alu").glob("alu_*.cc")
        defining = {
            file for file in sources if re.search(r"^void define_\w+\(AluTable", file.read_text(), re.MULTILINE)
        }
        self.assertEqual({str(file.relative_to(TREE)) for file in defining}, set(named(listed[1])))


if __name__ == "__main__":
    unittest.main()
