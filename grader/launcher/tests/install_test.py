"""cmake --install: the command `lockstep` runs a program from a folder that was moved, without the course."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from launcher.paths import BUILD, ROOT
from launcher.tests.emulate_test import NVCC, PLAIN, PTX, SOURCE
from launcher.tests.machines import InAFolder

RACE = """
#include <cuda_runtime.h>
__global__ void both(int* out) { *out = threadIdx.x; }
int main() {
  int* d_out = nullptr;
  cudaMalloc(&d_out, sizeof(int));
  both<<<1, 64>>>(d_out);
  return cudaDeviceSynchronize() != cudaSuccess || cudaFree(d_out) != cudaSuccess;
}
"""


class Install(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        first = self.folder / "first"
        install = ["cmake", "--install", BUILD, "--prefix", first]
        done = subprocess.run(install, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.prefix = first.rename(self.folder / "moved here")

    def built(self, name: str, source: str, *flags: str) -> Path:
        (self.folder / f"{name}.cu").write_text(source, encoding="utf-8")
        program = self.folder / name
        subprocess.run([NVCC, *flags, "-o", program, self.folder / f"{name}.cu"], check=True)
        return program

    def lockstep(self, *words: object, command: Path | None = None) -> tuple[int, str]:
        """In an environment that knows neither the course nor CUDA, and in another folder."""
        path = f"{Path(sys.executable).parent}:{os.defpath}"
        environment = {"PATH": path, "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        words = (command or self.prefix / "bin" / "lockstep", *words)
        out = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run([str(word) for word in words], env=environment, cwd="/", **out)
        return done.returncode, done.stdout

    def test_a_program_runs_and_keeps_its_exit_code(self) -> None:
        program = self.built("count", SOURCE, *PLAIN, *PTX)
        self.assertEqual(self.lockstep(program, "3"), (3, "sum 256\n"))
        report = self.folder / "report.json"
        self.assertEqual(self.lockstep("--report", report, program), (0, "sum 256\n"))
        self.assertEqual(json.loads(report.read_text())["launches"][0]["kernel"], "count")
        link = self.folder / "link"
        link.symlink_to(self.prefix / "bin" / "lockstep")
        self.assertEqual(self.lockstep(program, command=link), (0, "sum 256\n"))

    def test_it_finds_a_race_and_refuses_what_it_cannot_run(self) -> None:
        code, said = self.lockstep("--checks", "all", self.built("race", RACE, *PLAIN, *PTX, "-lineinfo"))
        self.assertIn("race", said)
        self.assertIn("race.cu:3", said)
        code, said = self.lockstep(self.built("static", SOURCE, *PTX))
        self.assertEqual(code, 2)
        self.assertIn("-cudart shared", said)
        self.assertNotIn("./lab", said)
        self.assertEqual(self.lockstep("--schedule", "sideways", "/bin/true")[0], 2)

    def test_nothing_in_it_names_this_build(self) -> None:
        files = [file for file in self.prefix.rglob("*") if file.is_file()]
        names = {file.name for file in files}
        self.assertLessEqual({"libcudart.so.13", "libcuda.so.1", "device_server", "ask_ptxas", "judge"}, names)
        # lockstep's own, if the toolkit had their headers; what was built was installed
        own = {file.name for pattern in ("libcublas.*", "libcurand.*") for file in (BUILD / "lockstep").glob(pattern)}
        self.assertLessEqual(own, names)
        for file in files:
            data = file.read_bytes()
            self.assertNotIn(str(BUILD).encode(), data, file)
            self.assertNotIn(str(self.folder).encode(), data, file)
            if data[:4] == b"\x7fELF":
                dynamic = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
                self.assertNotRegex(dynamic, r"RPATH|RUNPATH", file)
            else:
                self.assertNotIn(str(ROOT).encode(), data, file)


if __name__ == "__main__":
    unittest.main()
