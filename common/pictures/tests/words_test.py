"""The words of the tables in the Chinese pages: no English word gets through, and no entry is without a table."""

import re
import unittest
from pathlib import Path

from common.pictures import pages, words
from common.pictures.measured import load

TREE = Path(__file__).resolve().parents[3]
FAULTS = TREE / "common/lockstep/tests/faults/fault_table.py"
PROGRAMS = (*(TREE / "common/pictures").glob("*.py"), FAULTS)  # what a table may say, and says today or not


class Words(unittest.TestCase):
    def test_a_table_in_chinese(self) -> None:
        english = (
            "| rung | counter | starter |\n| --- | --- | --- |\n"
            "| [06 Two buffers](../labs/06_scan_double_buffer/README.md) | global atomics per element | 1.5e+04 |\n"
        )
        self.assertEqual(
            "| 级 | 计数器 | 起始代码 |\n| --- | --- | --- |\n"
            "| [06 两个缓冲区](../../labs/06_scan_double_buffer/README.zh.md) | 全局内存原子操作，每个元素 "
            "| 1.5e+04 |\n",
            words.chinese(english),
        )

    def test_headings_sentences_code_and_names_stay_what_they_are(self) -> None:
        self.assertEqual("### 两者都没有发现的\n", words.chinese("### Found by neither\n"))
        self.assertEqual("`a_counter`，每个元素", words.phrase("`a_counter` per element"))
        self.assertEqual("| 种类 | 案例 |\n| race | `x` |\n", words.chinese("| kind | case |\n| race | `x` |\n"))

    def test_a_word_that_is_missing_is_named(self) -> None:
        for english in ("new counter", "new counter per element", "| rung |\n| a new one |"):
            with self.subTest(english), self.assertRaisesRegex(words.UnknownWord, "words.csv has no Chinese .*new"):
                words.chinese(english)

    def test_a_page_gets_its_chinese_table(self) -> None:
        text = "<!-- table: counters -->\nold\n<!-- end -->\nafter"
        new = pages.filled(text, "reduction", load(TREE), chinese=True)
        self.assertIn("| 发散的分支，每个元素 |", new)
        self.assertNotIn("per element", new)

    def test_no_entry_is_twice_or_without_a_table(self) -> None:
        listed = [row["english"] for row in words.rows(words.WORDS)]
        self.assertEqual(len(listed), len(set(listed)), "an entry is there twice")
        written = "\n".join(page.read_text(encoding="utf-8") for page in [*(TREE / "docs").glob("*.md"), *PROGRAMS])
        for english in listed:
            with self.subTest(english):
                form = ".+".join(map(re.escape, re.split(r"\{=?\}", english)))
                self.assertTrue(re.search(form, written), "no table says it")


if __name__ == "__main__":
    unittest.main()
