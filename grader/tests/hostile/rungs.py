"""rungs: submissions made of a lab's starter, reference or wrong variant, by replacing some text. Each submission of
`hostile()` keeps the form of a rule and stays on the rung below. Each submission of `honest()` climbs the rung in
another form. Judges nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
SYNC = "__syncthreads();"
TID = "  const int tid = threadIdx.x;\n"


class Rung(NamedTuple):
    name: str
    verdict: str  # "accepted", or "rule broken · CHECK"
    lab: str
    what: str
    content: str


def edited(pattern: str, *changes: tuple[str, str]) -> str:
    """The file with each old text replaced everywhere. The build must not go on with a change that changes nothing."""
    (path,) = ROOT.glob(pattern)
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        if old not in text:
            raise SystemExit(f"{path} no longer contains {old!r}, which grader/tests/hostile/rungs.py replaces")
        text = text.replace(old, new)
    return text


def starter(lab: str, *changes: tuple[str, str]) -> str:
    return edited(f"labs/{lab}_*/*.cu", *changes)


def reference(lab: str, *changes: tuple[str, str]) -> str:
    return edited(f"solutions/{lab}_*/*.cu", *changes)


def before_kernel(helper: str) -> tuple[str, str]:
    """Puts the helper behind the includes."""
    return '#include "common/check.h"\n', f'#include "common/check.h"\n{helper}\n'


def after_launch(launch: str, more: str) -> tuple[str, str]:
    return launch, f"{launch}\n  {more}"


CHECK = "CUDA_CHECK(cudaGetLastError());"
EMPTY = "static __global__ void empty() {}"
MANY = f"empty<<<65536, 32>>>();\n  {CHECK}"

# Each warp adds 1 to a counter, and waits until it has come to the next multiple of their number.
BY_ATOMICS = """#include <cuda/atomic>
static __device__ unsigned arrived;
static __global__ void forget() { arrived = 0; }
static __device__ void wait_for_block(unsigned& phase) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter(arrived);
  phase += blockDim.x / 32;
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    counter.fetch_add(1, cuda::memory_order_acq_rel);
    while (counter.load(cuda::memory_order_acquire) < phase) {}
  }
  __syncwarp();
}"""
# The same in shared memory, where each block has a counter of its own.
BY_SHARED_ATOMICS = """#include <cuda/atomic>
static __device__ void wait_for_block(unsigned& counter, unsigned& phase) {
  const cuda::atomic_ref<unsigned, cuda::thread_scope_block> arrived(counter);
  phase += blockDim.x / 32;
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    arrived.fetch_add(1, cuda::memory_order_acq_rel);
    while (arrived.load(cuda::memory_order_acquire) < phase) {}
  }
  __syncwarp();
}"""
BY_NAME = """static __device__ void wait_for_block(int& turn) {
  turn = turn % 15 + 1;
  asm volatile("barrier.sync %0, %1;" ::"r"(turn), "r"(blockDim.x) : "memory");
}"""
BY_OBJECT = "#include <cuda/barrier>\nusing Barrier = cuda::barrier<cuda::thread_scope_block>;"
WAIT_AT_OBJECT = "__syncwarp();\n    if (threadIdx.x % 32 == 0) together.arrive_and_wait();\n    __syncwarp();"
MAKE_OBJECT = (
    "#pragma nv_diag_suppress static_var_with_dynamic_init\n"
    "  __shared__ Barrier together;\n  if (threadIdx.x == 0) init(&together, blockDim.x / 32);\n  __syncthreads();\n"
)

# The tile of lab 08, whose every access is an atomic operation.
TILE_BY_ATOMICS = """struct Word {
  int bits;
  __device__ operator float() { return __int_as_float(atomicOr(&bits, 0)); }
  __device__ void operator=(float x) { atomicExch(&bits, __float_as_int(x)); }
  __device__ void operator+=(float x) { *this = *this + x; }
};"""


RECURSION = """static __device__ __noinline__ void add_down(unsigned* tile, int sums, int stride) {
  if (stride <= kWarp) return;
  add_upper(tile, sums, stride);
  __syncthreads();
  add_down(tile, sums, stride / 2);
}

"""
LOOP = """  for (int stride = block / 2; stride > kWarp; stride /= 2) {
    add_upper(tile, sums, stride);
    // The next step, or the last warp below, reads sums that other threads write in this step.
    __syncthreads();
  }
"""
# The loads of lab 21, all of which come before the additions.
TOGETHER = """    Vector<T> v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) v[k] = tiles[begin + tid + k * kBlock];
#pragma unroll
    for (int k = 0; k < kEach; ++k) sum += vector_sum(v[k]);
"""
COPIES = """    __shared__ Vector<T> s_vectors[kBlock];
#pragma unroll 1
    for (int k = 0; k < kEach; ++k) {
      __pipeline_memcpy_async(&s_vectors[tid], &tiles[begin + tid + k * kBlock], sizeof(Vector<T>));
      __pipeline_commit();
      __pipeline_wait_prior(0);
      sum += vector_sum(s_vectors[tid]);
    }
"""


def hostile() -> Iterator[Rung]:
    broken = "rule broken · rule."
    yield Rung(
        "renamed_starter_and_an_empty_kernel",
        broken + "barriers",
        "18",
        "The starter with another name, and an empty kernel that has the name of the reference's.",
        starter(
            "18",
            ("scan_tiles", "sum_tiles"),
            before_kernel("static __global__ void scan_tiles() {}"),
            after_launch("scan_level(in, n, out, scratch);", f"scan_tiles<<<4096, 1024>>>();\n  {CHECK}"),
        ),
    )
    for lab, rule, kernel in (
        ("03", "divergence", "reduce_neighbored"),
        ("04", "load_sectors", "reduce_less_divergent"),
    ):
        launch = f"{kernel}<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);"
        yield Rung(
            f"diluted_{rule}",
            broken + rule,
            lab,
            "The starter, and a launch of many empty blocks that makes every average of a block small.",
            starter(lab, before_kernel(EMPTY), after_launch(launch, MANY)),
        )
    launch = "reduce_unroll<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);"
    yield Rung(
        "diluted_barriers",
        broken + "barriers",
        "12",
        "The starter, whose launch has 63 empty blocks for each block that works.",
        starter(
            "12",
            (
                TID,
                "  if (blockIdx.x * kTile >= n) return;\n" + TID,
            ),
            (launch, launch.replace("<<<blocks,", "<<<64 * blocks,")),
        ),
    )
    yield Rung(
        "additions_as_fma",
        broken + "additions",
        "09",
        "A Hillis-Steele scan, which has no bank conflicts. Its additions are fused multiply-adds.",
        edited(
            "solutions/09_*/wrong/hillis_steele.cu",
            ("sum += s_sum[tid - stride]", "sum = fmaf(s_sum[tid - stride], 1.0f, sum)"),
        ),
    )
    yield Rung(
        "additions_as_doubles",
        broken + "additions",
        "08",
        "A Hillis-Steele scan that adds in double.",
        edited("solutions/08_*/wrong/hillis_steele.cu", ("float sum =", "double sum =")),
    )
    yield Rung(
        "conflicts_as_atomics",
        broken + "all_conflicts",
        "09",
        "The starter, whose loads and stores of shared memory are atomics: the conflicts stay.",
        starter(
            "09",
            before_kernel(TILE_BY_ATOMICS),
            ("__shared__ float s_tile", "__shared__ Word s_tile"),
            ("s_tile[tid] = tid < n ? in[tid] : 0.0f;", "s_tile[tid].bits = tid < n ? __float_as_int(in[tid]) : 0;"),
            (
                "s_tile[tid + kBlock] = tid + kBlock < n ? in[tid + kBlock] : 0.0f;",
                "s_tile[tid + kBlock].bits = tid + kBlock < n ? __float_as_int(in[tid + kBlock]) : 0;",
            ),
        ),
    )
    yield Rung(
        "tree_in_global_memory",
        broken + "traffic",
        "09",
        "The starter, whose tile is in global memory, which has no banks.",
        starter(
            "09", before_kernel("static __device__ float s_tile[512];"), ("  __shared__ float s_tile[kTile];\n", "")
        ),
    )
    yield Rung(
        "barriers_of_global_atomics",
        broken + "barriers",
        "06",
        "The starter, whose barriers are a counter in global memory and a loop that looks at it.",
        starter(
            "06",
            before_kernel(BY_ATOMICS),
            (TID, TID + "  unsigned phase = 0;\n"),
            (SYNC, "wait_for_block(phase);"),
            ("  scan_block<<<", "  forget<<<1, 1>>>();\n  scan_block<<<"),
        ),
    )
    counter = "  __shared__ unsigned counter;\n  if (threadIdx.x == 0) counter = 0;\n"
    counter += "  __syncthreads();\n  unsigned phase = 0;\n"
    yield Rung(
        "barriers_of_shared_atomics",
        broken + "barriers",
        "12",
        "The starter, whose barriers are a counter in shared memory.",
        starter(
            "12",
            (SYNC, "wait_for_block(counter, phase);"),
            before_kernel(BY_SHARED_ATOMICS),
            (TID, TID + counter),
        ),
    )
    yield Rung(
        "named_barriers",
        broken + "barriers",
        "06",
        "The starter, whose barriers have the numbers 1 to 15 in turn.",
        starter("06", before_kernel(BY_NAME), (TID, TID + "  int turn = 0;\n"), (SYNC, "wait_for_block(turn);")),
    )
    yield Rung(
        "barriers_that_count",
        broken + "barriers",
        "12",
        "The starter, whose barriers also count threads.",
        starter("12", (SYNC, "if (__syncthreads_count(1) == 0) return;")),
    )
    yield Rung(
        "barrier_objects",
        broken + "barriers",
        "18",
        "The starter, whose barriers are objects of libcu++.",
        starter(
            "18",
            (SYNC, WAIT_AT_OBJECT),
            before_kernel(BY_OBJECT),
            (TID, TID + MAKE_OBJECT),
        ),
    )
    yield Rung(
        "loop_as_recursion",
        broken + "loops",
        "13",
        "The loop over the strides is a function that calls itself.",
        starter(
            "13",
            ("// Unsigned, because", RECURSION + "// Unsigned, because"),
            (LOOP, "  add_down(tile, sums, block / 2);\n"),
        ),
    )
    launch = "reduce_template<<<blocks, block>>>(d_data, n, d_sums);"
    yield Rung(
        "diluted_branches",
        broken + "branches",
        "14",
        "The starter, and a launch of many empty blocks.",
        starter("14", before_kernel(EMPTY), after_launch(launch, MANY)),
    )
    ahead = """    Vector<T> next = tiles[begin + tid];
#pragma unroll 1
    for (int k = 1; k <= kEach; ++k) {
      const Vector<T> v = next;
      next = tiles[min(begin + tid + k * kBlock, vectors - 1)];
      sum += vector_sum(v);
    }
"""
    yield Rung(
        "one_vector_ahead",
        broken + "memory_waits",
        "21",
        "Each turn of the loop asks for the vector of the next turn: no value is used in the turn that loads it.",
        reference("21", (TOGETHER, ahead)),
    )
    yield Rung(
        "one_copy_ahead",
        broken + "memory_waits",
        "21",
        "Vectors come by asynchronous copies, one at a time. They are not loads.",
        reference("21", before_kernel("#include <cuda_pipeline.h>"), (TOGETHER, COPIES)),
    )
    yield Rung(
        "tile_loaded_twice",
        broken + "loads",
        "22",
        "A single kernel, whose blocks load their tile again when they know the sum before it.",
        reference(
            "22",
            ("const T* __restrict__ in", "const T* in"),
            (
                "  rows.store(out, first, n",
                "  rows.load(in, first, n, whole);\n  rows.scan();\n  rows.store(out, first, n",
            ),
        ),
    )


def honest() -> Iterator[Rung]:
    def accepted(name: str, lab: str, what: str, *changes: tuple[str, str]) -> Rung:
        return Rung(name, "accepted", lab, what, reference(lab, *changes))

    yield accepted("renamed_kernels", "18", "The reference, whose kernels have other names.",
                   ("scan_tiles", "step_one"), ("add_offsets", "step_two"))  # fmt: skip
    for lab, size, other in (("02", 1024, 512), ("03", 1024, 128), ("04", 1024, 128), ("11", 512, 1024),
                             ("12", 512, 1024), ("13", 512, 256), ("17", 512, 128)):  # fmt: skip
        yield accepted(f"blocks_of_{other}_in_{lab}", lab, f"The reference with {other} threads a block.",
                       (f"constexpr int kBlock = {size};", f"constexpr int kBlock = {other};"))  # fmt: skip
    group = "#include <cooperative_groups.h>"
    yield accepted("sync_of_groups", "17", "The reference, whose block waits by cooperative groups.",
                   before_kernel(group), (SYNC, "cooperative_groups::this_thread_block().sync();"))  # fmt: skip
    yield accepted("one_object_for_ten_steps", "06", "The reference, whose barrier is an object of libcu++.",
                   (SYNC, WAIT_AT_OBJECT), before_kernel(BY_OBJECT),
                   (TID, TID + MAKE_OBJECT))  # fmt: skip
    launch = "reduce_unroll_last_warp<<<blocks, kBlock>>>("
    clear = "static __global__ void clear(unsigned* sums, int n) {\n  if (threadIdx.x < n) sums[threadIdx.x] = 0;\n}"
    yield accepted("a_small_helper", "12", "The reference, and a kernel before it that sets the block sums to 0.",
                   before_kernel(clear), (launch, f"clear<<<1, 32>>>(d_sums, blocks);\n  {launch}"))  # fmt: skip
    yield accepted("fma_where_it_belongs", "00", "a · x + y as one fused multiply-add.",
                   ("a * x[i] + y[i]", "fmaf(a, x[i], y[i])"))  # fmt: skip
    yield accepted("a_second_wait", "17", "The reference, whose block waits once more before the array is used.",
                   ("  if (lane == 0) s_warp", f"  {SYNC}  // for a second call\n  if (lane == 0) s_warp"))  # fmt: skip
    half = "if (warp == 0) {\n    const float all = scan_warp(lane < kWarps ? s_before[lane] : 0);\n"
    half += "    if (lane < kWarps) s_before[lane] = all;\n  }"
    yield accepted("shorter_tiles", "18", "The reference with tiles of 512 elements: the last warp scans 16 sums.",
                   ("kTile = 1024", "kTile = 512"),
                   ("if (warp == 0) s_before[lane] = scan_warp(s_before[lane]);", half))  # fmt: skip
    yield accepted("twice_the_threads", "24", "The reference with 256 threads, each with half as many vectors.",
                   ("constexpr int kBlock = 128;", "constexpr int kBlock = 256;"),
                   ("kSmallRows = 4, kLargeRows = 16", "kSmallRows = 2, kLargeRows = 8"))  # fmt: skip
    yield accepted("sixteen_keys", "25", "The reference with 16 keys for each thread, also for large data.",
                   ("kLargeKeys = 20", "kLargeKeys = 16"))  # fmt: skip
    yield accepted("more_zeros", "26", "The reference with 1,024 zeros before the text.",
                   ("kZeros = 512", "kZeros = 1024"))  # fmt: skip
    yield accepted("four_vectors", "21", "The reference with four vectors for each thread, also for large data.",
                   ("launch<T, 512, 8>", "launch<T, 512, 4>"))  # fmt: skip
    code = edited("solutions/21_*/*.cu")
    for_ints = code[code.index("// Ints: one atomic") : code.index("// Other types: a long long does not")]
    yield accepted("ticket_and_fences", "21", "Sums of all types meet in memory, with a fence and a ticket.",
                   (for_ints, ""))  # fmt: skip
    word = for_ints[for_ints.index("  // The atomic itself") :]
    clear = "  void* address = nullptr;\n  CUDA_CHECK(cudaGetSymbolAddress(&address, g_total<T>));\n"
    clear += "  CUDA_CHECK(cudaMemsetAsync(address, 0, sizeof(T)));\n"
    yield accepted("clears_by_memset", "21", "The sum of ints is set to zero before the kernel; each block adds to it.",
                   (word, "  atomicAdd(&g_total<unsigned>, sum);\n}\n\n"),
                   ("  constexpr int kSmall", f"{clear}  constexpr int kSmall"))  # fmt: skip
    counter = f"""__shared__ unsigned s_tile;
  if (threadIdx.x == 0) s_tile = atomicInc(&g_tickets, gridDim.x - 1);
  {SYNC}
  const unsigned tile = s_tile;"""
    yield accepted("tiles_from_a_counter", "22", "The reference, whose blocks draw their tiles from a counter.",
                   before_kernel("static __device__ unsigned g_tickets;"),
                   ("const unsigned tile = blockIdx.x;", counter))  # fmt: skip
    clear = """void* words = nullptr;
  CUDA_CHECK(cudaGetSymbolAddress(&words, g_words));
  CUDA_CHECK(cudaMemsetAsync(words, 0, 1 << 16));
  const unsigned call = 1;"""
    yield accepted("words_cleared_by_memset", "22", "The reference, which clears its words in place of counting calls.",
                   ("static unsigned g_calls = 0;", ""), ("const unsigned call = ++g_calls;", clear))  # fmt: skip
