"""Chinese pages say what the English ones say. A change of one side is found; this course has no such change."""

import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

from common.translation import parity

TREE = Path(__file__).resolve().parents[3]
ENGLISH = """# Title

[简体中文](README.zh.md)

A warp has 32 lanes, see [the glossary](docs/glossary.md#warp), since 20 November 2026.

## Task

![Two buffers](picture.svg)

1. Store into `s_sum`.

<details><summary>A nudge</summary>

Swap.
</details>

    ./lab check 06

| a | b |
|---|---|
| 1<!-- alone.16 --> | 2 |
"""
CHINESE = """# 标题

[English](README.md)

一个线程束有 32 个通道，见[术语表](docs/zh/glossary.md#线程束warp)，始于 2026 年 11 月 20 日。

## 任务

![两个缓冲区](picture.svg)

1. 存入 `s_sum`。

<details><summary>小提示</summary>

交换。
</details>

    ./lab check 06

| a | b |
|---|---|
| 1<!-- alone.16 --> | 2 |
"""


class Parity(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs/zh").mkdir(parents=True)
        (self.root / "docs/glossary.md").write_text("# Glossary\n\n### Warp\n", encoding="utf-8")
        (self.root / "docs/zh/glossary.md").write_text("# 术语表\n\n### 线程束（Warp）\n", encoding="utf-8")
        self.english, self.chinese = self.root / "README.md", self.root / "README.zh.md"
        self.english.write_text(ENGLISH, encoding="utf-8")
        self.chinese.write_text(CHINESE, encoding="utf-8")

    def change(self, page: Path, old: str, new: str) -> None:
        text = page.read_text(encoding="utf-8")
        self.assertIn(old, text)
        page.write_text(text.replace(old, new, 1), encoding="utf-8")

    def found(self) -> list[str]:
        return list(parity.differences(self.chinese))

    def test_a_translation_of_all_is_found_equal(self) -> None:
        self.assertEqual([], self.found())

    def test_each_part_that_is_changed_on_one_side_is_named(self) -> None:
        changes: dict[str, tuple[str, str]] = {
            "headings": ("## Task", "Task"),
            "blocks of code": ("check 06", "check 07"),
            "code in the text": ("`s_sum`", "`sum`"),
            "figures": ("32 lanes", "64 lanes"),
            "links": ("#warp", ""),
            "pictures": ("picture.svg", "other.svg"),
            "marks": ("alone.16", "alone.17"),
            "items": ("1. Store", "Store"),
            "folded parts": ("<details>", "<div>"),
            "stars": ("warp has", "warp* has"),
        }
        for what, (old, new) in changes.items():
            with self.subTest(what):
                self.english.write_text(ENGLISH, encoding="utf-8")
                self.change(self.english, old, new)
                self.assertIn(what, "\n".join(self.found()))

    def test_a_link_must_lead_to_the_translated_page_if_there_is_one(self) -> None:
        self.change(self.chinese, "docs/zh/glossary.md#线程束warp", "docs/glossary.md#warp")
        self.assertIn("links", self.found()[0])
        parity.write_record(self.chinese)
        self.assertTrue(parity.mend_links(self.chinese))
        self.assertEqual([], self.found())
        self.assertEqual([], parity.stale(self.chinese), "the words have not changed")
        (self.root / "docs/zh/glossary.md").unlink()
        self.assertIn("links", self.found()[0])

    def test_a_change_of_either_side_makes_its_section_stale(self) -> None:
        self.assertEqual(3, len(parity.stale(self.chinese)), "nobody has read it")
        sides: dict[str, Callable[[], None]] = {
            "English": lambda: self.change(self.english, "Store into", "Put into"),
            "Chinese": lambda: self.change(self.chinese, "存入", "写入"),
        }
        for side, change in sides.items():
            with self.subTest(side):
                parity.write_record(self.chinese)
                self.assertEqual([], parity.stale(self.chinese))
                self.assertEqual([], self.found(), "the record is no part of the page")
                change()
                self.assertEqual(["任务"], parity.stale(self.chinese))

    def test_a_table_that_a_program_writes_needs_no_reader(self) -> None:
        for page, row in ((self.english, "| rung | 1 |"), (self.chinese, "| 级 | 1 |")):
            with page.open("a", encoding="utf-8") as text:
                text.write(f"\n<!-- table: scan -->\n{row}\n<!-- end -->\n")
        parity.write_record(self.chinese)
        for page, word in ((self.english, "rung"), (self.chinese, "级")):
            self.change(page, word, word * 2)
        self.assertEqual([], parity.stale(self.chinese))
        self.change(self.chinese, "| 1 |", "| 2 |")
        self.assertIn("figures", self.found()[0])

    def test_a_page_that_stays_english_is_not_missing(self) -> None:
        (self.root / "docs/layers.md").write_text("# Layers\n", encoding="utf-8")
        (self.root / "docs/model.md").write_text("# Model\n", encoding="utf-8")
        self.assertEqual([self.root / "docs/model.md"], parity.missing(self.root))


class ThisCourse(unittest.TestCase):
    def test_every_page_has_its_twin(self) -> None:
        self.assertEqual([], [str(page.relative_to(TREE)) for page in parity.missing(TREE)], "not translated")

    def test_the_pages_that_stay_english_are_there(self) -> None:
        for name in parity.ENGLISH_ONLY:
            with self.subTest(name):
                self.assertTrue((TREE / f"docs/{name}.md").exists())
                self.assertFalse((TREE / f"docs/zh/{name}.md").exists())

    def test_every_chinese_page_says_what_its_english_page_says(self) -> None:
        for page in parity.translated(TREE):
            with self.subTest(str(page.relative_to(TREE))):
                self.assertEqual([], list(parity.differences(page)))
                self.assertEqual([], parity.stale(page), "python -m common.translation --help")


if __name__ == "__main__":
    unittest.main()
