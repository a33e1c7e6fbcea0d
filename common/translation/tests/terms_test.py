"""The glossary is the table of terms: a planted wrong word is named, and so is a term that a page avoids. No page of
this course has one."""

import shutil
import tempfile
import unittest
from pathlib import Path

from common.translation import parity, terms

TREE = Path(__file__).resolve().parents[3]
GLOSSARY = TREE / "docs" / "zh" / "glossary.md"
PAGE = "labs/06_scan_double_buffer/README.md"


class Terms(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.english = Path(folder.name) / "README.md"
        self.chinese = parity.twin(self.english)
        shutil.copyfile(TREE / PAGE, self.english)
        shutil.copyfile(parity.twin(TREE / PAGE), self.chinese)

    def plant(self, right: str, wrong: str, times: int = -1) -> None:
        text = self.chinese.read_text(encoding="utf-8")
        self.assertIn(right, text)
        self.chinese.write_text(text.replace(right, wrong, times), encoding="utf-8")

    def found(self) -> list[str]:
        return [*terms.wrong(self.chinese), *terms.avoided(self.chinese, GLOSSARY)]

    def test_headings_of_the_glossary_are_terms(self) -> None:
        known = terms.terms(GLOSSARY)
        self.assertEqual(("线程束",), known["warp"])
        self.assertEqual(("主机",), known["host"])
        self.assertEqual(("设备",), known["device"])
        self.assertEqual(("扫描",), known["scan"])
        self.assertEqual(set(), set(terms.OTHER_FORMS) - set(known), "other forms of a term that is not there")

    def test_a_wrong_word_is_named_with_its_line_and_the_right_word(self) -> None:
        self.assertEqual([], self.found())
        self.plant("拷贝自己的和", "复制自己的和", 1)
        text = self.chinese.read_text(encoding="utf-8")
        line = text[: text.index("复制")].count("\n") + 1
        self.assertEqual([f"line {line}: 复制; for “copy of memory” the word is 拷贝"], self.found())

    def test_a_longer_right_word_around_a_wrong_one_is_allowed(self) -> None:
        self.plant("两个缓冲区", "复制出两个缓冲区，Linux 内核", 1)
        self.assertEqual([], self.found())
        self.plant("复制出", "复制出来的复制", 1)
        self.assertEqual(1, len(self.found()))

    def test_a_term_that_is_avoided_is_named(self) -> None:
        self.plant("屏障", "关卡")
        self.assertIn("“06 两个缓冲区” says 屏障 never, the English side says barrier 7 times", self.found())

    def test_a_term_inside_a_longer_one_does_not_count(self) -> None:
        self.english.write_text("# T\n\nA thread, a second thread and a bank conflict.\n", encoding="utf-8")
        self.chinese.write_text("# 题\n\n线程块和线程束，一次存储体冲突。\n", encoding="utf-8")
        self.assertEqual(["“题” says 线程 never, the English side says thread 2 times"], self.found())

    def test_one_mention_may_be_left_out(self) -> None:
        self.english.write_text("# T\n\nA thread waits for a thread that waits for a lane.\n", encoding="utf-8")
        self.chinese.write_text("# 题\n\n线程等待。\n", encoding="utf-8")
        self.assertEqual([], self.found())


class ThisCourse(unittest.TestCase):
    def test_no_page_uses_a_wrong_word_or_avoids_a_term(self) -> None:
        for page in parity.translated(TREE):
            with self.subTest(str(page.relative_to(TREE))):
                self.assertEqual([], [*terms.wrong(page), *terms.avoided(page, GLOSSARY)])

    def test_the_right_words_are_those_of_the_glossary(self) -> None:
        known = terms.terms(GLOSSARY)
        for word, right, english, _ in terms.wrong_words():
            with self.subTest(word):
                self.assertIn(right, known.get(english, (right,)))

    def test_every_exception_is_needed(self) -> None:
        for place, title, term in terms.EXCEPTIONS:
            with self.subTest(place=place, term=term):
                page = next(page for page in parity.translated(TREE) if str(parity.original(page)).endswith(place))
                found = terms.avoided(page, GLOSSARY, set(terms.EXCEPTIONS) - {(place, title, term)})
                self.assertTrue([line for line in found if f" says {term} " in line])


if __name__ == "__main__":
    unittest.main()
