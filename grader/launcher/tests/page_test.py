"""A verdict's page in Chinese: its words, its tables, and which lines are left out."""

import unittest
from unittest import mock

from launcher import page
from launcher.columns import columns

WORDS = {"form": "{where}: got {got}, want {want}", "arguments": {"where": "out[3]", "got": "0", "want": "{got}"}}


def in_chinese() -> mock._patch_dict:
    return mock.patch.dict("os.environ", {"WARPLADDER_LANG": "zh"})


class Said(unittest.TestCase):
    def test_words_are_translated_and_all_else_stays(self) -> None:
        self.assertEqual(page.said(WORDS), "out[3]: got 0, want {got}")
        with in_chinese():
            self.assertEqual(page.said(WORDS), "out[3]：得到 0，应为 {got}")
            self.assertEqual(page.said("got"), "got")
            inner = {"form": "lab {lab}", "arguments": {"lab": "02"}}
            self.assertEqual(page.said({"form": "{0}; {1}", "arguments": {"0": inner, "1": "a; b"}}), "实验 02；a; b")

    def test_a_cell_is_filled_up_by_columns(self) -> None:
        cell = {"form": "got", "arguments": {}, "columns": 6}
        self.assertEqual(page.said(cell), "got   ")
        with in_chinese():
            self.assertEqual(page.said(cell), "得到  ")


class Text(unittest.TestCase):
    def test_the_next_step_stays_on_the_screen(self) -> None:
        steps = [{"kind": "step", "indent": "    ", "text": f"step {number}"} for number in range(30)]
        printed = [{"kind": "printed", "indent": "    | ", "text": "much"}] * 9
        word = {"form": "next", "arguments": {}}
        last = [{"kind": "folded", "indent": "  ", "text": "Look. " * 30, "word": word}]
        for width in (40, 76):
            lines = page.text([*steps, *printed, *last], width).splitlines()
            with self.subTest(width):
                below = sum(not line.startswith("    | ") for line in lines)
                self.assertEqual(below + 1, 15 * 76 // width)
                self.assertIn("lines left out; --json keeps them", "\n".join(lines))
                self.assertTrue(all(len(line) <= width for line in lines if "--json" not in line))

    def test_a_table_has_its_columns_below_each_other(self) -> None:
        name = {"form": "this code", "arguments": {}}
        part = {"kind": "table", "indent": "", "text": "", "rows": [["", "ms"], [name, "0.5"], ["parallel", "12"]]}
        for context in (mock.patch.dict("os.environ"), in_chinese()):
            with context:
                lines = page.text([part]).splitlines()
                self.assertEqual(len({columns(line) for line in lines}), 1, lines)

    def test_of_a_reason_the_first_sentence_is_said(self) -> None:
        why = "an int has 4 bytes, and each is loaded once. 4 % more are allowed, for the last step"
        part = {"kind": "first", "indent": "  ", "text": {"form": why, "arguments": {}}}
        self.assertEqual(page.text([part]), "  an int has 4 bytes, and each is loaded once\n")
        with in_chinese():
            self.assertEqual(page.text([part]), "  一个 int 有 4 字节，每个 int 加载一次\n")
