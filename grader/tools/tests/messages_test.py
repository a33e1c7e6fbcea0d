"""The catalogues: complete, nothing too much, the same arguments and figures as in English, and the course's words."""

import ast
import re
import unittest

from launcher.language import ARGUMENT, CATALOGUES, languages, read
from launcher.paths import ROOT
from tools import messages, untranslated

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
        for kind in ("grader/report/page.js", "grader/batch/reports/templates/student.html.j2"):
            self.assertIn(kind, files)

    def test_what_argparse_shows_is_a_text(self) -> None:
        code = """
@_command("x.y", help="the help", keep_lines=True)
def _one(parser):
    \"\"\"Keeps
    its lines.\"\"\"
    parser.add_argument_group("the title").add_argument("x", help="of x")

@_command("x.y", help=NONE)
def _two(parser):
    \"\"\"Is
    folded.\"\"\"

def other():
    \"\"\"For programmers.\"\"\"
"""
        found = {constant.value for constant in messages.said_in_python(ast.parse(code))}
        self.assertEqual(found, {"the help", "Keeps\nits lines.", "the title", "of x", "Is folded."})


class Untranslated(unittest.TestCase):
    def test_every_text_can_be_translated(self) -> None:
        self.assertEqual(untranslated.complaints(), [])

    def test_a_text_that_cannot_is_found(self) -> None:
        for code, wanted in (
            ('say("Nobody translates this.")', ["Nobody translates this."]),
            ('say("Written: " + name)', ["Written: "]),
            ('say("done" if ok else "failed")', ["done", "failed"]),
            ('raise Failure(f"{file} is missing")', ["{} is missing"]),
            ('text = f"{n} of them {why}"', ["{} of them {}"]),
            ('say(_("{n} of them", n="the first one"))', ["the first one"]),
            ('say(_("This one is."))', []),
            ('HINT = later("This one is, too.")', []),
            ('say(f"    ./lab reset {lab} --from COMMIT")', []),
            ('say(shown(file), end="")', []),
            ('def f() -> None:\n    """For programmers."""', []),
            ('option("--x", help="for people")', []),
        ):
            with self.subTest(code):
                self.assertEqual([text for _line, text in untranslated.in_python(code)], wanted)

    def test_it_is_found_in_templates_and_scripts(self) -> None:
        page = '<p title="so it is">{{ _("Said.") }} Not said, {{ n }}</p><style>p { top: 0 }</style>{# why #}<b>ms</b>'
        self.assertEqual(sorted(untranslated.in_template(page)), ["Not said,", "so it is"])
        script = 'el("p", { class: "quiet small" }, "Not said."); // a comment, and no text\n'
        script += '_("Well said."); `${n} are here`'
        self.assertEqual(list(untranslated.in_script(script)), ["Not said.", "{} are here"])

    def test_no_exception_is_left_over(self) -> None:
        for file, starts in untranslated.EXCEPT.items():
            if file != "*":
                found = [text for _line, text in untranslated.all_in_python((ROOT / file).read_text(encoding="utf-8"))]
                for start in starts:
                    with self.subTest(file, start=start):
                        self.assertTrue(any(text.startswith(start) for text in found))


class Chinese(unittest.TestCase):
    def test_the_words_of_the_course(self) -> None:
        for text, translation in catalogue("zh").items():
            for word, wanted in WORDS.items():
                if re.search(rf"(?<!-)\b{word}\b", ARGUMENT.sub("", text)):  # --threads is a name
                    with self.subTest(text):
                        self.assertIn(wanted, translation)
            for word, instead in NEVER.items():
                self.assertNotIn(word, translation, f"say {instead}")

    def test_chinese_and_latin_are_set_apart(self) -> None:
        for translation in catalogue("zh").values():
            with self.subTest(translation):
                self.assertIsNone(HALF_WIDTH.search(translation))
