"""./lab emulate, with programs that were built in each wrong way and in the right one. Needs WARPLADDER_NVCC."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from launcher import elf, toolkit
from launcher.tests.machines import lab

NVCC = os.environ.get("WARPLADDER_NVCC", "nvcc")
VERSION = toolkit.version(Path(NVCC)) or ""
CUDART = f"libcudart.so.{VERSION.split('.')[0]}"
PTX = ["-gencode", "arch=compute_75,code=compute_75"]
PLAIN = ["-cudart", "shared"]

SOURCE = """
#include <cstdio>
#include <cstdlib>
__global__ void count(int* sum) { atomicAdd(sum, 1); }
int main(int argc, char** argv) {
  int *d_sum = nullptr, sum = 0;
  if (cudaMalloc(&d_sum, sizeof(int)) != cudaSuccess || cudaMemset(d_sum, 0, sizeof(int)) != cudaSuccess) return 1;
  count<<<4, 64>>>(d_sum);
  if (cudaMemcpy(&sum, d_sum, sizeof(int), cudaMemcpyDeviceToHost) != cudaSuccess) return 2;
  std::printf("sum %d\\n", sum);
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
"""

# One program of three files: a kernel, a function of the device that the kernel calls, and host code alone.
KERNEL = """
extern __device__ int square(int);
__global__ void seven(int* out) { *out = square(7); }
void run(int* out) { seven<<<1, 1>>>(out); }
"""
FUNCTION = "__device__ int square(int x) { return x * x; }\n"
HOST = """
#include <cuda_runtime.h>
#include <cstdio>
void run(int* out);
int main() {
  int *d_out = nullptr, out = 0;
  cudaMalloc(&d_out, sizeof out);
  run(d_out);
  if (cudaMemcpy(&out, d_out, sizeof out, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  std::printf("%d\\n", out);
}
"""
DEVICES = """
#include <cuda_runtime.h>
#include <cstdio>
int main() {
  int count = 0;
  cudaGetDeviceCount(&count);
  std::printf("devices %d\\n", count);
}
"""


class Emulate(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = Path(holder.name)
        (cls.folder / "count.cu").write_text(SOURCE, encoding="utf-8")

    def built(self, name: str, *flags: str) -> Path:
        program = self.folder / name
        subprocess.run([NVCC, *flags, "-o", program, self.folder / "count.cu"], check=True)
        return program

    def refused(self, program: Path, flag: str) -> None:
        answer = lab("emulate", program)
        self.assertEqual(answer.code, 2, answer.text)
        self.assertIn(flag, answer.text)
        self.assertNotIn("Traceback", answer.text)

    def test_static_cudart(self) -> None:
        self.refused(self.built("static", *PTX), "-cudart shared")

    def test_compressed_ptx(self) -> None:
        modes = [f"--compress-mode={mode}" for mode in ("default", "size", "speed", "balance", "none")]
        for mode in ["--no-compress", *([] if VERSION.startswith(("12.4", "12.5", "12.6")) else modes)]:
            with self.subTest(mode):
                program = self.built(f"packed_{mode}", *PLAIN, mode, *PTX)
                answer = lab("emulate", program, "3")
                self.assertEqual((answer.code, answer.text), (3, "sum 256\n"))

    @unittest.skipUnless(shutil.which("make"), "there is no make here")
    def test_an_unchanged_makefile(self) -> None:
        (self.folder / "Makefile").write_text(
            "NVCC ?= nvcc\nCARD ?= sm_80\nrun: count\n\t./count 0\n"
            "count: count.cu\n\t$(NVCC) -arch=$(CARD) -cudart static -o $@ $<\n",
            encoding="utf-8",
        )
        for given in ([], ["CARD=sm_35", "-B"], ["CARD=sm_60", "NVCC=$(CUDA_PATH)/bin/nvcc", "-B"]):
            with self.subTest(given):
                answer = lab("make", "-C", self.folder, "-s", "run", *given)
                self.assertEqual(answer.code, 0, answer.text)
                self.assertIn("sum 256\n", answer.text)
                self.assertEqual(lab("emulate", self.folder / "count", "3").text, "sum 256\n")

    def test_nvcc_takes_its_flags_beside_any_others(self) -> None:
        for number, flags in enumerate((
            [], ["-arch=sm_90"], ["-arch=all-major"], ["-gencode", "arch=compute_90,code=sm_90"], ["-arch=sm_100"],
            ["-rdc=true"], ["-arch=compute_80", "-code=sm_80"], ["-arch=native"],
            ["-gencode", "arch=compute_52,code=sm_52", "-gencode", "arch=compute_90,code=sm_90"],
        )):  # fmt: skip
            with self.subTest(flags):
                program = self.folder / f"beside_{number}"
                answer = lab("nvcc", *flags, "-o", program, self.folder / "count.cu")
                self.assertEqual(answer.code, 0, answer.text)
                self.assertNotIn("lockstep", answer.text)
                self.assertEqual(lab("emulate", program, "3").text, "sum 256\n")

    def test_no_ptx(self) -> None:
        program = self.built("no_ptx", *PLAIN, "-gencode", "arch=compute_90,code=sm_90")
        self.refused(program, "-gencode arch=compute_75,code=compute_75")

    def test_link_time_optimisation(self) -> None:
        # nvlink finishes such a program only with a library that not every installation has, so g++ links it here.
        made = self.folder / "lto.o"
        lto = ["-gencode", "arch=compute_90,code=lto_90"]
        subprocess.run([NVCC, "-dc", *lto, "-o", made, self.folder / "count.cu"], check=True)
        facts = elf.read_program(made)
        self.assertEqual((facts.ptx, facts.lto), (0, 1))
        libraries = Path(shutil.which(NVCC)).resolve().parent.parent / "lib64"
        program = self.folder / "lto"
        link = ["-Wl,--unresolved-symbols=ignore-all", "-L", libraries, "-lcudart", "-o", program]
        subprocess.run(["g++", made, *link], check=True)
        self.refused(program, "-dlto")

    def runs(self, program: Path) -> None:
        answer = lab("emulate", program)
        self.assertEqual((answer.code, answer.text), (0, "49\n"))

    def written(self, **texts: str) -> dict[str, Path]:
        files = {name: self.folder / f"{name}.{'cpp' if name == 'host' else 'cu'}" for name in texts}
        for name, file in files.items():
            file.write_text(texts[name], encoding="utf-8")
        return files

    def test_separate_compilation(self) -> None:
        files = self.written(kernel=KERNEL, function=FUNCTION, host=HOST)
        library = self.folder / "libfunction.a"
        objects = [self.folder / f"{name}.o" for name in files]
        flags = [*PLAIN, *PTX]

        def nvcc(*arguments: object) -> None:
            subprocess.run([NVCC, *flags, *arguments], check=True)

        nvcc("-rdc=true", *files.values(), "-o", self.folder / "at_once")
        for source, made in zip(files.values(), objects, strict=True):
            nvcc("-dc", source, "-o", made)
        linked = self.folder / "linked.o"
        nvcc("-dlink", *objects, "-o", linked, "-lcudadevrt")
        nvcc(*objects, linked, "-o", self.folder / "in_steps", "-lcudadevrt")
        subprocess.run([NVCC, "-lib", objects[1], "-o", library], check=True)
        nvcc(
            "-rdc=true",
            files["kernel"],
            files["host"],
            "-o",
            self.folder / "with_library",
            "-L",
            self.folder,
            "-lfunction",
        )
        both = [*PLAIN, "-gencode", "arch=compute_75,code=[compute_75,sm_75]"]
        subprocess.run([NVCC, *both, "-rdc=true", *files.values(), "-o", self.folder / "with_sass"], check=True)
        for name in ("at_once", "in_steps", "with_library", "with_sass"):
            with self.subTest(name):
                self.runs(self.folder / name)
        # What nvcc adds by itself (libcudadevrt) has compressed PTX, and must not be blamed here.
        program = self.folder / "separate_no_ptx"
        code = [*PLAIN, "-gencode", "arch=compute_90,code=sm_90"]
        subprocess.run([NVCC, *code, "-rdc=true", *files.values(), "-o", program], check=True)
        self.refused(program, "holds machine code for GPUs but no PTX")

    def test_host_files_beside_one_kernel(self) -> None:
        files = self.written(
            kernel=KERNEL.replace("extern ", "").replace("square(int)", "square(int x) { return x * x; }"), host=HOST
        )
        program = self.folder / "host_and_kernel"
        subprocess.run([NVCC, *PLAIN, *PTX, *files.values(), "-o", program], check=True)
        self.runs(program)

    def test_program_without_kernels(self) -> None:
        files = self.written(host=DEVICES)
        for name, flags in (("plain", []), ("separate", ["-rdc=true"]), ("as_cuda", ["-x", "cu"])):
            program = self.folder / f"devices_{name}"
            subprocess.run([NVCC, *PLAIN, *PTX, *flags, files["host"], "-o", program], check=True)
            with self.subTest(name):
                answer = lab("emulate", program)
                self.assertEqual((answer.code, answer.text), (0, "devices 1\n"))

    def test_another_cuda(self) -> None:
        library, program = self.folder / "libcudart.so.11.0", self.folder / "cuda11"
        empty, main = self.folder / "empty.c", self.folder / "main.c"
        empty.write_text("int cudaSomething(void) { return 0; }\n", encoding="utf-8")
        main.write_text("int cudaSomething(void);\nint main(void) { return cudaSomething(); }\n", encoding="utf-8")
        subprocess.run(["g++", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.11.0", "-o", library, empty], check=True)
        subprocess.run(["g++", "-o", program, main, library], check=True)
        self.refused(program, "libcudart.so.11.0")

    def test_damaged_files_are_no_programs(self) -> None:
        whole = self.built("whole", *PLAIN, *PTX).read_bytes()
        damaged = self.folder / "damaged"
        for kept in (0, 3, 63, 64, 100, 5000, len(whole) // 2, len(whole) - 100):
            damaged.write_bytes(whole[:kept])
            damaged.chmod(0o755)
            with self.subTest(kept=kept), self.assertRaises(elf.NotElf):
                elf.read_program(damaged)

    def test_right_program_runs_and_keeps_its_exit_code(self) -> None:
        program = self.built("right", *PLAIN, "-lineinfo", *PTX)
        facts = elf.read_program(program)
        self.assertEqual((facts.cudart(), facts.ptx), (CUDART, 1))
        report = self.folder / "report.json"
        trace = self.folder / "trace.jsonl"
        answer = lab("emulate", "--report", report, "--trace", trace, "--schedule", "random:7", program, "3")
        self.assertEqual((answer.code, answer.text), (3, "sum 256\n"))
        launches = json.loads(report.read_text(encoding="utf-8"))["launches"]
        self.assertEqual([(launch["grid"], launch["block"]) for launch in launches], [([4, 1, 1], [64, 1, 1])])
        operations = [json.loads(line).get("op") for line in trace.read_text(encoding="utf-8").splitlines()]
        self.assertEqual(operations, [None] + 8 * ["atomic"])

    def test_each_call_may_fail(self) -> None:
        program = self.built("failing", *PLAIN, *PTX)
        for call, code, text in ((1, 1, "cudaMalloc"), (2, 1, "cudaMemset"), (3, 0, "launch"), (4, 2, "cudaMemcpy")):
            answer = lab("emulate", "--fail", str(call), program)
            with self.subTest(call=call):  # the program ignores the result of the third call
                self.assertEqual(answer.code, code, answer.text)
                self.assertIn(text, answer.text)

    def test_rpath_does_not_win(self) -> None:
        # The folder has a library with the wanted name that would end the program at once.
        folder = self.folder / "other"
        folder.mkdir()
        poison = self.folder / "poison.c"
        poison.write_text(
            "#include <stdlib.h>\n__attribute__((constructor)) void f(void) { _Exit(99); }\n", encoding="utf-8"
        )
        library = folder / CUDART
        subprocess.run(["g++", "-shared", "-fPIC", f"-Wl,-soname,{CUDART}", "-o", library, poison], check=True)
        for dtags in ("--disable-new-dtags", "--enable-new-dtags"):
            program = self.built(dtags, *PLAIN, *PTX, "-Xlinker", f"{dtags},-rpath,{folder}")
            answer = lab("emulate", program)
            with self.subTest(dtags=dtags):
                self.assertEqual((answer.code, answer.text), (0, "sum 256\n"))

    def test_bad_options(self) -> None:
        program = self.built("options", *PLAIN, *PTX)
        for option, value in (
            ("--schedule", "sideways"),
            ("--checks", "race"),
            ("--threads", "0"),
            ("--fail", "0"),
            ("--report", "/nowhere/report.json"),
            ("--trace", "/nowhere/trace.jsonl"),
        ):
            answer = lab("emulate", option, value, program)
            self.assertEqual(answer.code, 2, answer.text)
            self.assertIn(option, answer.text)


if __name__ == "__main__":
    unittest.main()
