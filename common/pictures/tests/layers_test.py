"""Made-up trees that keep the law of the rooms or break it, in C++ and in Python; and how rooms are drawn."""

import tempfile
import unittest
from pathlib import Path

from common.pictures import includes, layers

ROOT = Path(__file__).resolve().parents[3]
ORDER = {"lockstep": ("common/base", "common/engine", "common/check")}
RIGHT = {
    "common/base/status.h": "#include <string>\n",
    "common/engine/warp.h": '#include "base/status.h"\n',
    "common/engine/warp.cc": '#include "engine/warp.h"\n',
    "common/check/races.cc": '#include "../engine/warp.h"\n  #  include "base/status.h"\n',
    "common/tests/engine/warp_test.cc": '#include "check/races.h"\n#include "engine/warp.h"\n',
    "common/check/plot.py": "from common.engine import shown\n",
    "common/engine/__init__.py": "",
    "common/engine/shown.py": "import json\nfrom . import text\n",
    "common/engine/text.py": "",
}


class Law(unittest.TestCase):
    def known(self, **more: str) -> includes.Known:
        """The right tree, with other text in some files. A name is a path with __ for / and _ for the dot."""
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            changed = {path.replace("__", "/").replace("_", "."): text for path, text in more.items()}
            for path, text in {**RIGHT, **changed}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text, encoding="utf-8")
            return includes.by_file(root)

    def refused(self, *words: str, **more: str) -> None:
        wrong = includes.complaints(self.known(**more), ORDER)
        self.assertEqual(1, len(wrong), wrong)
        for word in words:
            self.assertIn(word, wrong[0])

    def test_this_tree_keeps_the_law(self) -> None:
        self.assertEqual([], includes.complaints(includes.by_file(ROOT)))

    def test_a_tree_that_keeps_the_law(self) -> None:
        self.assertEqual([], includes.complaints(self.known(), ORDER))
        self.assertEqual(
            {"common/base": set(), "common/engine": {"common/base"}, "common/check": {"common/base", "common/engine"}},
            includes.by_room(self.known()),
        )

    def test_an_include_backward(self) -> None:
        self.refused(
            "common/base/limits knows common/engine/warp", "above", common__base__limits_h='#include "engine/warp.h"\n'
        )

    def test_an_import_backward(self) -> None:
        self.refused("common/base/late.py knows", common__base__late_py="import common.engine.shown\n")

    def test_an_import_backward_inside_a_function(self) -> None:
        late = "def work():\n    from common.engine.shown import table\n"
        self.refused("common/base/late.py knows common/engine/shown.py", common__base__late_py=late)

    def test_a_module_that_is_loaded_by_its_name(self) -> None:
        late = "from importlib import import_module\nimport_module('common.engine.shown')\n"
        self.refused("common/base/late.py knows common/engine/shown.py", common__base__late_py=late)

    def test_a_function_that_is_loaded_by_its_name(self) -> None:
        late = "carry_out('common.engine.shown.table', 'shown.json')\n"
        self.refused("common/base/late.py knows common/engine/shown.py", common__base__late_py=late)

    def test_a_circle_of_headers(self) -> None:
        block = '#include "warp.h"\n'
        warp = '#include "base/status.h"\n#include "block.h"\n'
        self.refused(
            "a circle: common/engine/block → common/engine/warp → common/engine/block",
            common__engine__block_h=block,
            common__engine__warp_h=warp,
        )

    def test_a_circle_that_only_the_sources_make(self) -> None:
        warp = '#include "engine/warp.h"\n#include "engine/block.h"\n'
        self.refused("a circle", common__engine__block_h='#include "engine/warp.h"\n', common__engine__warp_cc=warp)

    def test_a_circle_of_modules(self) -> None:
        text = "def late():\n    from . import shown\n"
        self.refused(
            "common/engine/shown.py → common/engine/text.py → common/engine/shown.py", common__engine__text_py=text
        )

    def test_a_room_that_the_order_does_not_name(self) -> None:
        self.refused("common/trace", "ORDER", common__trace__log_h="")

    def test_only_tests_know_tests(self) -> None:
        self.refused("only tests", common__check__clock_h='#include "tests/golden.h"\n', common__tests__golden_h="")

    def test_scripts_beside_each_other(self) -> None:
        known = self.known(common__tests__card__record_py="import lab", common__tests__card__lab_py="import record")
        self.assertEqual(
            [["common/tests/card/lab.py", "common/tests/card/record.py", "common/tests/card/lab.py"]],
            includes.circles(known),
        )


class Picture(unittest.TestCase):
    ROOMS = {"common/base": set(), "common/engine": {"common/base"}, "common/check": {"common/base", "common/engine"}}

    def test_an_arrow_that_others_imply_is_not_direct(self) -> None:
        self.assertEqual({"common/engine"}, layers.direct(self.ROOMS, "common/check"))

    def test_a_room_without_a_line_stands_with_its_house(self) -> None:
        rooms = {"common/lockstep": set(), "grader/judge": set(), "grader/judge/new": set()}
        self.assertEqual(
            {"lockstep": ["common/lockstep"], "judge": ["grader/judge", "grader/judge/new"]}, layers.houses(rooms)
        )

    def test_what_a_room_is_for(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for room in ("base", "batch", "silent"):
                (root / room).mkdir()
            (root / "base" / "CMakeLists.txt").write_text("# base: plain\n# values. More.\nadd_library(base)\n")
            (root / "batch" / "__init__.py").write_text('"""The batch: many\nin, one out. Not more."""\n')
            self.assertEqual("Plain values.", layers.purpose(root, "base"))
            self.assertEqual("Many in, one out.", layers.purpose(root, "batch"))
            self.assertEqual(1, len(layers.silent(root, {"base": set(), "batch": set(), "silent": set()})))


if __name__ == "__main__":
    unittest.main()
