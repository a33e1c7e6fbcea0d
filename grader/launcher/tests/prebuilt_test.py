"""prebuilt: when the package `warpladder` is used, and what a build.json made from its template says."""

import json
import os
import unittest
from pathlib import Path
from unittest import mock

from launcher import prebuilt
from launcher.labs import find_lab
from launcher.paths import ROOT
from launcher.tests.emulate_test import NVCC
from launcher.tests.machines import InAFolder

TEMPLATE = {
    "compile": ["@nvcc@", "-I@root@", "-c", "{source}", "-o", "{object}"],
    "link": ["@cxx@", "@built@/lib/warpladder/runner/librunner_saxpy.a", "-Wl,-rpath,@cudart@"],
    "compiler_sees": ["@toolkit@", "@root@/common/check.h", "/is/not/there"],
    "lockstep": "@built@/lib/lockstep",
    "baseline": "@tree@/labs/00_hello/solution",
}


class Prebuilt(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.built = self.folder / "built"
        self.lab = find_lab("00")
        folder = self.built / "labs" / self.lab.name
        folder.mkdir(parents=True)
        (folder / "build.json").write_text(json.dumps(TEMPLATE), encoding="utf-8")
        (folder / "report.json").write_text("{}", encoding="utf-8")
        self.enterContext(mock.patch.dict(os.environ, {prebuilt.VARIABLE: str(self.built)}))
        self.enterContext(mock.patch.object(prebuilt, "BUILD", self.folder / "build"))

    def test_only_from_the_same_sources(self) -> None:
        self.assertIsNone(prebuilt.folder())
        (self.built / "sources").write_text(prebuilt.digest(), encoding="ascii")
        self.assertEqual(prebuilt.folder(), self.built)
        (self.built / "sources").write_text(prebuilt.digest()[::-1], encoding="ascii")
        self.assertIsNone(prebuilt.folder())

    def test_the_command_leaves_a_note_for_the_course(self) -> None:
        (self.built / "sources").write_text(prebuilt.digest(), encoding="ascii")
        with mock.patch.dict(os.environ):
            del os.environ[prebuilt.VARIABLE]
            self.assertNotEqual(prebuilt.folder(), self.built)
            (self.folder / "build").mkdir()
            (self.folder / "build" / "package").write_text(str(self.built), encoding="utf-8")
            with mock.patch("importlib.util.find_spec", return_value=None):
                self.assertEqual(prebuilt.folder(), self.built)

    def test_the_rung_below_is_that_of_the_package(self) -> None:
        lab, below = find_lab("03"), find_lab("02")
        for folder in (lab.name, below.name):
            (self.built / "labs" / folder).mkdir()
        (self.built / "labs" / lab.name / "build.json").write_text(json.dumps(TEMPLATE), encoding="utf-8")
        self.assertIsNone(prebuilt.tree(self.built, lab, Path(NVCC)))
        known = self.built / "labs" / below.name / "reference"
        known.write_text(prebuilt.reference(below), encoding="ascii")
        self.assertIsNotNone(prebuilt.tree(self.built, lab, Path(NVCC)))
        known.write_text(prebuilt.reference(lab), encoding="ascii")
        self.assertIsNone(prebuilt.tree(self.built, lab, Path(NVCC)))
        with mock.patch.object(prebuilt, "reference", return_value=""):  # a learners' repository
            self.assertIsNotNone(prebuilt.tree(self.built, lab, Path(NVCC)))

    def test_the_digest_sees_each_source_and_no_test(self) -> None:
        for name, seen in (
            ("grader/judge/rules/rules.cc", True),
            ("common/lockstep/engine/warp.h", True),
            ("common/runner/main.cc", True),
            ("common/cmake/AddLab.cmake", True),
            ("common/lockstep/tests/engine/warp_test.cc", False),
            ("labs/00_hello/README.md", False),
        ):
            with self.subTest(name):
                before = prebuilt.digest(self.folder)
                file = self.folder / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("x", encoding="ascii")
                self.assertEqual(prebuilt.digest(self.folder) != before, seen)

    def test_the_template_gets_the_places_of_this_machine(self) -> None:
        tree = prebuilt.tree(self.built, self.lab, Path(NVCC))
        assert tree
        facts = json.loads((tree / "labs" / self.lab.name / "build.json").read_text(encoding="utf-8"))
        self.assertEqual(facts["compile"], [str(NVCC), f"-I{ROOT}", "-c", "{source}", "-o", "{object}"])
        self.assertEqual(facts["lockstep"], f"{self.built}/lib/lockstep")
        cudart = Path(facts["link"][2].removeprefix("-Wl,-rpath,")) / "libcudart.so.13"
        self.assertTrue(cudart.exists())
        self.assertIn(f"{ROOT}/common/check.h", facts["compiler_sees"])
        self.assertNotIn("/is/not/there", facts["compiler_sees"])
        self.assertTrue((tree / "labs" / self.lab.name / "report.json").exists())

    def test_what_the_package_does_not_have_is_built(self) -> None:
        self.assertIsNone(prebuilt.tree(self.built, find_lab("20"), Path(NVCC)))
        nvcc = self.folder / "nvcc"
        nvcc.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
        nvcc.chmod(0o755)
        self.assertIsNone(prebuilt.tree(self.built, self.lab, nvcc))


if __name__ == "__main__":
    unittest.main()
