"""Which language is chosen, how a catalogue is read, and how a message gets its arguments."""

import json
import os
import pickle
import unittest
from unittest import mock

from launcher import language, page
from launcher.language import _, filled, message, read


def with_environment(**variables: str) -> mock._patch_dict:
    kept = {name: value for name, value in os.environ.items() if name not in language.VARIABLES}
    return mock.patch.dict(os.environ, kept | variables, clear=True)


class Chosen(unittest.TestCase):
    def test_the_environment_chooses_as_for_gettext(self) -> None:
        for variables, wanted in (
            ({}, "en"),
            ({"LANG": "zh_CN.UTF-8"}, "zh"),
            ({"LANG": "de_DE.UTF-8"}, "en"),
            ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB"}, "en"),
            ({"LC_MESSAGES": "zh_CN", "LC_ALL": "C.UTF-8"}, "en"),
            ({"LC_ALL": "en_US", "LANGUAGE": "fr:zh:en"}, "zh"),
            ({"LANGUAGE": "zh", "WARPLADDER_LANG": "en"}, "en"),
        ):
            with self.subTest(variables), with_environment(**variables):
                self.assertEqual(language.chosen(), wanted)

    def test_lang_holds_for_the_programs_that_we_start_too(self) -> None:
        with with_environment(LANG="en_US"):
            language.choose("zh_CN")
            self.assertEqual(language.chosen(), "zh")
            self.assertEqual(os.environ[language.CHOSEN], "zh_CN")

    def test_an_unknown_language_is_refused(self) -> None:
        with with_environment(), self.assertRaisesRegex(ValueError, "en or zh"):
            language.choose("tlh")


class Messages(unittest.TestCase):
    def test_a_message_is_translated_and_filled(self) -> None:
        with with_environment(LANG="zh_CN.UTF-8"):
            self.assertEqual(_("It builds on {labs}.", labs="02, 03"), "它以 02, 03 为基础。")
            self.assertEqual(_("Nobody has translated {this}.", this=1), "Nobody has translated 1.")
        with with_environment():
            self.assertEqual(_("It builds on {labs}.", labs="02, 03"), "It builds on 02, 03.")

    def test_an_argument_is_never_read_as_a_mark(self) -> None:
        self.assertEqual(filled("{a} and {b}", {"a": "{b}", "b": "{a.__class__}"}), "{b} and {a.__class__}")
        self.assertEqual(filled("{0.x} {unknown}", {}), "{0.x} {unknown}")

    def test_a_text_may_be_an_argument(self) -> None:
        with with_environment():
            self.assertEqual(_("{text} is no number from 1 on", text="0"), "0 is no number from 1 on")

    def test_a_kept_message_is_english_and_can_be_translated_later(self) -> None:
        what = message("a link")
        kept = message("{name} is {what}: hand in regular files only.", name="'x\n'", what=what)
        kept = pickle.loads(pickle.dumps(kept)).changed(lambda text: text.replace("\n", "\\n"))
        self.assertEqual(json.loads(json.dumps(kept)), "'x\\n' is a link: hand in regular files only.")
        self.assertEqual(page.english(kept.parts), kept)
        self.assertEqual(page.known({"messages": [kept.parts]}).keys(), {str(kept), str(what)})
        with with_environment(LANG="zh_CN.UTF-8"):
            self.assertEqual(page.again(str(kept), page.known([kept.parts])), "'x\\n' 是链接：只提交普通文件。")

    def test_marked_texts_of_scripts(self) -> None:
        self.assertEqual(
            language.marked('_("a {n}", { n }); later( "b \\"c\\""); x._("d"); my_("e")'), ["a {n}", 'b "c"']
        )

    def test_a_catalogue_as_editors_write_it(self) -> None:
        text = """msgid ""
msgstr "Language: zh\\n"

#: a.py
msgid "one"
msgstr "一"

msgid ""
"a \\"long\\" "
"text\\n"
msgstr ""
"长"
"文本\\n"

#, fuzzy
msgid "nearly"
msgstr "差不多"

msgid "open"
msgstr ""

#~ msgid "gone"
#~ msgstr "没有了"
"""
        self.assertEqual(read(text), {"one": "一", 'a "long" text\n': "长文本\n"})
