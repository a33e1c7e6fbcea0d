"""docs/refusals.md: what ./lab emulate says of programs that lockstep cannot run, their exit codes, and the user's own
line. Each program here looks away from its errors, and returns 0.

    python3 -m launcher.tests.refusals_test --write    in grader/, writes the page anew
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

from launcher import emulate
from launcher.tests.machines import ROOT, lab

NVCC = os.environ.get("WARPLADDER_NVCC") or shutil.which("nvcc") or "nvcc"
PAGE = ROOT / "docs" / "refusals.md"
MARK = "<!-- made by grader/launcher/tests/refusals_test.py --write -->\n"
SHARED = ("-cudart", "shared", "-lineinfo", "-Xcompiler", "-g1")
PTX = ("-gencode", "arch=compute_90,code=compute_90")

KERNEL = "__global__ void store(int* out) { *out = 1; }\n"
LAUNCH = "  int* d = nullptr;\n  cudaMalloc(&d, 4);\n  store<<<1, 1>>>(d);  // HERE\n  cudaDeviceSynchronize();\n"
VIDEO = 'unsigned r;\n  asm("vadd.u32.u32.u32.sat %0, %1, %2;" : "=r"(r) : "r"(*out), "r"(1u));'
# As cuSOLVER does: its own runtime loads the driver.
LIBRARY = """#include <dlfcn.h>
extern "C" int cusolverDnCreate(void**) {
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  return driver ? reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0) : 1;
}
"""


OF_CUBLAS = "A function of cuBLAS that lockstep does not have"
LIBRARIES = Path(os.environ.get("WARPLADDER_BUILD_DIR") or ROOT / "build") / "lockstep"


def cublas() -> Path | None:
    """lockstep's own, which is built if the toolkit has cuBLAS' headers."""
    return next(LIBRARIES.glob("libcublas.so.*"), None)


def program(main: str, before: str = "") -> str:
    return f"{before}int main() {{\n{main}  return 0;\n}}\n"


@dataclass(frozen=True)
class Refusal:
    """A program. The line that it marks with HERE must be named; a program without the mark is not started at all."""

    what: str
    source: str
    flags: tuple[str, ...] = (*SHARED, *PTX)
    header: str = ""  # of the toolkit, in crt/inner.h

    @property
    def line(self) -> int | None:
        lines = self.source.split("\n")
        return next((number for number, line in enumerate(lines, 1) if "HERE" in line), None)


REFUSALS = (
    Refusal(
        "A function that lockstep does not have",
        program(
            "  cudaExternalSemaphore_t semaphore;\n  cudaExternalSemaphoreHandleDesc about{};\n"
            "  cudaImportExternalSemaphore(&semaphore, &about);  // HERE\n"
        ),
    ),
    Refusal(
        "An instruction that lockstep does not have",
        program(
            LAUNCH.replace("  // HERE", ""),
            f"__global__ void store(unsigned* out) {{\n  {VIDEO}  // HERE\n  *out = r;\n}}\n",
        ).replace("int* d", "unsigned* d"),
    ),
    Refusal(
        "The same in a header of the toolkit",
        program(
            LAUNCH.replace("  // HERE", ""),
            '#include "crt/inner.h"\n__global__ void store(unsigned* out) {\n  inner(out);  // HERE\n}\n',
        ).replace("int* d", "unsigned* d"),
        header=f"__device__ inline void inner(unsigned* out) {{\n  {VIDEO}\n  *out = r;\n}}\n",
    ),
    Refusal(
        "A whole kernel in a header of the toolkit",
        program(LAUNCH, '#include "crt/inner.h"\n').replace("int* d", "unsigned* d"),
        header=f"__global__ void store(unsigned* out) {{\n  {VIDEO}\n  *out = r;\n}}\n",
    ),
    Refusal(
        "A cluster of several blocks",
        program(
            "  cudaLaunchConfig_t config{};\n  config.gridDim = 2;\n  config.blockDim = 32;\n"
            "  cudaLaunchAttribute attribute{};\n  attribute.id = cudaLaunchAttributeClusterDimension;\n"
            "  attribute.val.clusterDim = {2, 1, 1};\n  config.attrs = &attribute;\n  config.numAttrs = 1;\n"
            "  int* d = nullptr;\n  cudaMalloc(&d, 4);\n  cudaLaunchKernelEx(&config, store, d);  // HERE\n",
            KERNEL,
        ),
    ),
    Refusal(
        "A texture with an anisotropic filter",
        program(
            "  cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();\n  cudaResourceDesc resource{};\n"
            "  cudaMallocArray(&resource.res.array.array, &channel, 8, 8);\n  cudaTextureDesc reading{};\n"
            "  reading.maxAnisotropy = 8;\n  cudaTextureObject_t texture;\n"
            "  cudaCreateTextureObject(&texture, &resource, &reading, nullptr);  // HERE\n"
        ),
    ),
    Refusal(
        "A formatted access to a surface",
        program(
            LAUNCH.replace("  // HERE", ""),
            "__global__ void store(int* out) {\n"
            '  asm("sust.p.1d.b32.trap [%0, {%1}], {%1};" ::"l"(1ll), "r"(*out));  // HERE\n}\n',
        ),
    ),
    Refusal(
        "A library of NVIDIA's with machine code",
        program(
            "  void* handle = nullptr;\n  cudaFree(nullptr);\n  cusolverDnCreate(&handle);  // HERE\n",
            'extern "C" int cusolverDnCreate(void**);\n',
        ),
    ),
    Refusal(
        OF_CUBLAS,
        program(
            "  void* handle = nullptr;\n  float a = 1, b = 2, c, s;\n  cublasCreate_v2(&handle);\n"
            "  cublasSrotg_v2(handle, &a, &b, &c, &s);  // HERE\n",
            'extern "C" int cublasCreate_v2(void**);\n'
            'extern "C" int cublasSrotg_v2(void*, float*, float*, float*, float*);\n',
        ),
    ),
    Refusal(
        "The driver's own functions",
        program("  cudaFree(nullptr);\n  cuInit(0);  // HERE\n", "#include <cuda.h>\n"),
    ),
    Refusal("Machine code and no PTX", program(LAUNCH.replace("  // HERE", ""), KERNEL),
            (*SHARED, "-gencode", "arch=compute_90,code=sm_90")),
    Refusal("The static runtime", program(LAUNCH.replace("  // HERE", ""), KERNEL), PTX),
    Refusal("The static runtime and no PTX", program(LAUNCH.replace("  // HERE", ""), KERNEL),
            ("-gencode", "arch=compute_90,code=sm_90")),
)  # fmt: skip


def told(refusal: Refusal, folder: Path) -> tuple[int, str]:
    """The exit code, and what is said, with paths from the folder on."""
    (folder / "crt").mkdir(exist_ok=True)
    (folder / "crt" / "inner.h").write_text(refusal.header, encoding="utf-8")
    (folder / "prog.cu").write_text(refusal.source, encoding="utf-8")
    (folder / "library.cc").write_text(LIBRARY, encoding="utf-8")
    libraries = []
    if "cusolver" in refusal.source:
        name = "libcusolver.so.12"
        made = ["-shared", "-fPIC", f"-Wl,-soname,{name}", "library.cc", "-ldl", "-o", name]
        subprocess.run(["g++", *made], cwd=folder, check=True)
        libraries = ["-Xlinker", f"./{name}"]
    if "cuda.h" in refusal.source:  # programs are linked with the toolkit's stub of the driver; not every one has it
        libraries = ["-Xlinker", str(LIBRARIES / "libcuda.so.1")]
    if refusal.what == OF_CUBLAS:
        libraries = ["-Xlinker", str(cublas())]
    subprocess.run([NVCC, *refusal.flags, "-I.", "prog.cu", *libraries, "-o", "prog"], cwd=folder, check=True)
    answer = lab("emulate", folder / "prog", env={"LD_LIBRARY_PATH": str(folder)})
    return answer.code, answer.text.replace(f"{folder}/", "")


def page(folder: Path) -> str:
    before = PAGE.read_text(encoding="utf-8")
    parts = [before.partition(MARK)[0] + MARK]
    for refusal in REFUSALS:
        if refusal.what == OF_CUBLAS and not cublas():  # this machine cannot say; what the page says stays
            kept = re.search(rf"\n## {OF_CUBLAS}\n(?:(?!\n## ).)*", before, re.DOTALL)
            parts.append(kept[0] if kept else "")
            continue
        code, text = told(refusal, folder)
        quoted = "".join(f"    {line}\n" for line in text.rstrip("\n").split("\n"))
        parts.append(f"\n## {refusal.what}\n\nExit code {code}.\n\n{quoted}")
    return "".join(parts)


class Refusals(unittest.TestCase):
    def test_each_changes_the_exit_code_and_names_the_users_own_line(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            for refusal in REFUSALS:
                with self.subTest(refusal.what):
                    if refusal.what == OF_CUBLAS and not cublas():
                        self.skipTest("the toolkit has no headers of cuBLAS")
                    code, text = told(refusal, Path(name))
                    self.assertEqual(code, 2 if refusal.line is None else emulate.REFUSED, text)
                    self.assertNotIn("inner.h", text)
                    if refusal.line is None:
                        self.assertIn("\n    -", text)  # the missing flags
                    else:
                        self.assertIn(f"prog.cu:{refusal.line}", text)
                        self.assertIn("Next: ", text)

    def test_the_page_is_fresh(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(page(Path(name)), PAGE.read_text(encoding="utf-8"))

    def test_a_program_that_fails_keeps_its_code(self) -> None:
        source = REFUSALS[0].source.replace("return 0", "return 7")
        with tempfile.TemporaryDirectory() as name:
            self.assertEqual(told(Refusal("", source), Path(name))[0], 7)


if __name__ == "__main__":
    if "--write" in sys.argv:
        with tempfile.TemporaryDirectory() as made:
            PAGE.write_text(page(Path(made)), encoding="utf-8")
    else:
        unittest.main()
