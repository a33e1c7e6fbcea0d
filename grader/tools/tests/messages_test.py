"""The catalogues: complete, nothing too much, the same arguments and figures as in English, and the course's words."""

import re
import unittest

from launcher.language import ARGUMENT, CATALOGUES, languages, read
from tools import messages

# A word of the English text → what the Chinese one must say then, as docs/zh/glossary.md does.
WORDS = {
    r"warps?": "线程束",
    r"lanes?": "通道",
    r"threads?": "线程",
    r"sectors?": "扇区",
    r"wavefronts?": "波前",
    r"barriers?": "屏障",
    r"kernels?": "核函数",
    r"bank conflicts?": "存储体冲突",
    r"atomics?": "原子",
    r"shared memory": "共享内存",
    r"histogram": "直方图",
    r"prefix": "前缀",
    r"strides": "步长",
    r"shuffles?": "洗牌",
    r"hints?": "提示",
    r"starter": "起始代码",
    r"emulated": "模拟",
    r"modelled": "模型",
}
NEVER = {"复制": "拷贝 (memory) or 副本", "内核": "核函数", "跨度": "步长", "排它": "排他"}
HALF_WIDTH = re.compile(
    r"[\u4e00-\u9fff][,;:?!]|[,;:?!][\u4e00-\u9fff]|[\u4e00-\u9fff][A-Za-z0-9]|[A-Za-z0-9%][\u4e00-\u9fff]"
)


def catalogue(language: str) -> dict[str, str]:
    return read((CATALOGUES / language / "LC_MESSAGES" / "warpladder.po").read_text(encoding="utf-8"))


class Catalogues(unittest.TestCase):
    def test_every_text_is_translated_and_nothing_else(self) -> None:
        self.assertIn("zh", languages())
        for language in languages()[1:]:
            self.assertEqual(messages.complaints(catalogue(language)), [])

    def test_a_file_is_as_the_program_writes_it(self) -> None:
        for file in CATALOGUES.glob("*/LC_MESSAGES/*.po"):
            name = file.parents[1].name
            self.assertEqual(file.read_text(encoding="utf-8"), messages.written(name, catalogue(name)))

    def test_a_lack_is_found(self) -> None:
        whole = catalogue("zh")
        for change, wanted in (
            ({"Building": None}, "not translated: 'Building'"),
            ({"nobody says this": "没有人"}, "nothing says this any more: 'nobody says this'"),
            ({"It builds on {labs}.": "它以 {lab} 为基础。"}, "other arguments: 'It builds on {labs}.'"),
            ({"load requests of a block, 169 in lab 11": "168, 11"}, "other figures (168, 169): "),
        ):
            changed = {text: translation for text, translation in (whole | change).items() if translation is not None}
            found = messages.complaints(changed)
            with self.subTest(wanted):
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(wanted), found)

    def test_lockstep_and_the_judge_say_nothing_without_a_form(self) -> None:
        self.assertEqual(messages.bypasses(), [])

    def test_a_text_without_a_form_is_found(self) -> None:
        for line, text in (
            ('return "the grid is empty";', "the grid is empty"),
            ('throw JudgeFault(std::string("cannot be " "read"));', "cannot be read"),
            ('text += " of the " + name;', " of the "),
            ('std::fputs("lockstep has no memory", stderr);', "lockstep has no memory"),
        ):
            self.assertEqual(list(messages.literals(f"int a = 1;\n  {line}\n")), [(2, text)])
        for line in (
            '// says "this is wrong"',
            'if (line.find("no such file") != npos)',
            '#include "a file.h"',
            'call("cudaMalloc");',
            'R"(usage: a program)"',
        ):
            self.assertEqual(list(messages.literals(line)), [])

    def test_texts_of_all_kinds_are_found(self) -> None:
        files = {file for places in messages.texts().values() for file in places}
        for kind in ("grader/commands.py", "grader/learner/home.py", "labs/02_reduce_neighbored/lab.json"):
            self.assertIn(kind, files)


class Chinese(unittest.TestCase):
    def test_the_words_of_the_course(self) -> None:
        for text, translation in catalogue("zh").items():
            for word, wanted in WORDS.items():
                if re.search(rf"\b{word}\b", ARGUMENT.sub("", text)):
                    with self.subTest(text):
                        self.assertIn(wanted, translation)
            for word, instead in NEVER.items():
                self.assertNotIn(word, translation, f"say {instead}")

    def test_chinese_and_latin_are_set_apart(self) -> None:
        for translation in catalogue("zh").values():
            with self.subTest(translation):
                self.assertIsNone(HALF_WIDTH.search(translation))
