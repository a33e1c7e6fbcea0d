"""The width of Chinese text in a terminal: padding, cutting and folding."""

import unittest

from launcher.columns import NOT_FIRST, NOT_LAST, columns, cut, folded, padded

TEXT = "前 256 个元素是正确的。从 `out[256]` 开始的是什么：线程束、线程块（block）、分块，还是后面的一步？"


class Columns(unittest.TestCase):
    def test_a_chinese_character_and_its_punctuation_take_two_columns(self) -> None:
        for text, wanted in (("abc", 3), ("线程", 4), ("，。（", 6), ("✓ 1 µs ×", 8), ("e\u0301", 1), ("", 0)):
            with self.subTest(text):
                self.assertEqual(columns(text), wanted)

    def test_cells_are_padded_and_cut_by_columns(self) -> None:
        self.assertEqual(padded("线程", 6) + "|", "线程  |")
        self.assertEqual(padded("线程束", 4), "线程束")
        self.assertEqual(cut("线程abc", 3), "线")
        self.assertEqual(cut("线程abc", 5), "线程a")

    def test_chinese_is_folded_between_characters(self) -> None:
        for width in range(20, 60):
            lines = folded(TEXT, width, first="  ", rest="    ")
            with self.subTest(width):
                self.assertTrue(all(columns(line) <= width for line in lines), lines)
                self.assertEqual("".join(lines).replace(" ", ""), TEXT.replace(" ", ""))
                self.assertIn("out[256]", "\n".join(lines))
                self.assertFalse([line for line in lines if line.strip()[0] in NOT_FIRST or line[-1] in NOT_LAST])

    def test_english_is_folded_between_words(self) -> None:
        self.assertEqual(folded("one two three", 9, first="  ", rest="    "), ["  one two", "    three"])
