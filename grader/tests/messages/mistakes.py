"""mistakes: typical mistakes, and the words by which the judge must name the cause of each. The ones that lockstep
explains are in common/lockstep/tests/faults; here are those whose words are the judge's own."""

from dataclasses import dataclass, field


@dataclass
class Mistake:
    """Code that is wrong, and what a learner must read about it."""

    lab: str  # its number
    title: str
    words: list[str]  # all of them stand in the message
    variant: str = ""  # of solutions/NN_name/wrong/
    edits: list[tuple[str, str]] = field(default_factory=list)  # of the reference, if it is no variant
    options: list[str] = field(default_factory=list)  # of the judge
    names_a_line: bool = False  # then the judge compiles the variant, whose path it knows how to leave out
    code: int = 1  # the judge's exit code


FAMILIES = {
    "Basics": [
        Mistake(
            "00",
            "The result is never copied back",
            ["nothing was stored in out", "Copy the result back"],
            "no_copy_back",
        ),
        Mistake("00", "threadIdx.x alone is the index", ["first 256 elements are right", "out[256]"], "index_in_block"),
        Mistake(
            "00",
            "The kernel is empty",
            ["it is 0", "Follow out[0] back from the store"],
            edits=[("  out[i] = a * x[i] + y[i];", "")],
        ),
        Mistake("00", "The events do not enclose the launch", ["milliseconds", "two events"], "no_time"),
        Mistake(
            "00",
            "One thread does it all",
            ["global load sectors of 32 bytes, per element (l1tex__", "Begin at"],
            "one_thread",
            names_a_line=True,
        ),
        Mistake(
            "00",
            "Names that do not exist",
            ["identifier", "more errors", "first error"],
            edits=[("const int i = ", "const int j = "), ("return milliseconds;", "return a1 + a2 + a3 + a4;")],
        ),
        Mistake(
            "00",
            "A loop that never ends",
            ["kernel saxpy_kernel was stopped", "in the loop of lines 13–15", "Check that this loop ends"],
            edits=[
                (
                    "  out[i] = a * x[i] + y[i];",
                    "  float sum = 0;\n  for (unsigned k = i; k >= 0; --k) {\n    if (x[k % n] == 77) break;\n"
                    "    sum += a;\n  }\n  out[i] = sum;",
                )
            ],
        ),
        Mistake(
            "00",
            "A call that lockstep lacks",
            ["cudaImportExternalMemory", "this function is not emulated", "Write the program without it"],
            edits=[
                (
                    "  const int blocks = ",
                    "  cudaExternalMemory_t memory = nullptr;\n"
                    "  CUDA_CHECK(cudaImportExternalMemory(&memory, nullptr));\n  const int blocks = ",
                )
            ],
        ),
        Mistake(
            "00",
            "An error that is ignored, and a crash after it",
            ["the device has", "were asked for", "the program crashed"],
            edits=[
                (
                    "  CUDA_CHECK(cudaMalloc(&d_out, bytes));",
                    "  cudaMallocManaged(&d_out, bytes << 40);\n  d_out[0] = 0;",
                )
            ],
        ),
        Mistake("00", "A mistyped --case", ["Did you mean saxpy.33.ones?"], options=["--case", "saxpy.33.one"], code=2),
        Mistake("00", "A mistyped --schedules", ["Did you mean reverse?"], options=["--schedules", "revers"], code=2),
    ],
    "Scan": [
        Mistake(
            "01",
            "The serial scan adds two inputs",
            ["out[2]: got 2, want 3", "What has the loop added"],
            "cpu_adds_two_inputs",
        ),
        Mistake(
            "01", "Inclusive instead of exclusive", ["In an exclusive scan out[0] is 0"], "inclusive_for_exclusive"
        ),
        Mistake(
            "01",
            "The last block is never launched",
            ["held before the call", "No thread stores out[256]"],
            "last_block_missing",
        ),
        Mistake(
            "05",
            "The test has > instead of >=",
            ["the sum began there", "Add in[0] to out[1]"],
            "edge_off_by_one",
        ),
        Mistake(
            "06",
            "The last step is missing",
            ["out[512]: got 512, want 513", "What begins at out[512]"],
            "last_step_missing",
        ),
        Mistake("08", "A sum passes through an int", ["off by less than 1", "kept in an int"], "int_temporary"),
        Mistake("08", "The tree has n elements, not a full tile", ["3 is not a power of two"], "power_of_two_only"),
        Mistake("07", "Only one level of block sums", ["out[1049600]", "the sum began there"], "one_level"),
    ],
    "Reduction": [
        Mistake(
            "02", "Only one block's sum is returned", ["got 1024, want 1025", "Follow data[1024]"], "block_zero_only"
        ),
        Mistake(
            "02",
            "The sums are never copied back",
            ["nothing was added", "Nothing came from the device to the host"],
            "sums_not_copied",
        ),
        Mistake(
            "02",
            "cudaMemcpy gets a number of elements",
            ["Only 1 byte came from the device", "multiply by sizeof"],
            edits=[
                ("cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums,", "cudaMemcpy(sums.data(), d_sums, blocks,")
            ],
        ),
        Mistake(
            "02",
            "The host reads device memory",
            ["the host reads device memory", "reduce.cu:33", "cudaMemcpyDeviceToHost"],
            edits=[("  if (n == 0) return 0;", "  if (n == 0) return 0;\n  if (n == 1) return data[0];")],
        ),
        Mistake(
            "02",
            "cudaMalloc gets a number of elements",
            ["block_sums[0]", "cudaMalloc counts bytes"],
            edits=[("cudaMalloc(&d_sums, blocks * sizeof *d_sums)", "cudaMalloc(&d_sums, blocks)")],
        ),
        Mistake(
            "02",
            "The barrier stands in the if",
            ["1023 of the block's 1024 threads", "move it out of the if"],
            edits=[
                ("block[tid] += block[tid + stride];", "block[tid] += block[tid + stride]; __syncthreads();"),
                ("    __syncthreads();\n  }\n", "  }\n"),
            ],
        ),
        Mistake(
            "02",
            "A kernel calls std::min",
            ["__device__ functions", "without std::"],
            edits=[("= min(n - first", "= std::min(n - first")],
        ),
        Mistake(
            "02",
            "A brace is not closed",
            ["A } is missing"],
            edits=[("    __syncthreads();\n  }\n", "    __syncthreads();\n")],
        ),
        Mistake(
            "02",
            "The kernel of lab 04 in lab 02",
            ["must be at least 0.15", "why: in each of the first five steps", "as the handout describes it"],
            edits=[
                (
                    "int stride = 1; stride < blockDim.x; stride *= 2",
                    "int stride = blockDim.x / 2; stride > 0; stride /= 2",
                ),
                ("tid % (2 * stride) == 0", "tid < stride"),
            ],
        ),
        Mistake(
            "12",
            "The lanes of the last warp do not wait",
            ["in one turn of the loop races", "Put __syncwarp() after line"],
            edits=[("      __syncwarp();\n", "")],
        ),
        Mistake(
            "02", "An odd element has no partner", ["2 of the 3 ones were added", "no partner"], "power_of_two_only"
        ),
        Mistake("02", "The total is a float", ["rounding of a float", "Add in int"], "float_total"),
        Mistake(
            "02",
            "The number of blocks is fixed",
            ["the first 4194304 of 16777216", "Follow data[4194304]"],
            "fixed_block_count",
        ),
        Mistake("17", "The last shuffle is missing", ["1 of the 2 ones", "2 elements need 1"], "last_offset_missing"),
        Mistake("14", "A missing break", ["twice the sum", "two threads add"], "missing_break"),
        Mistake(
            "12",
            "Barriers that are not needed",
            ["waits of warps", "(block_waits)", "__syncthreads()"],
            "keeps_barriers",
        ),
    ],
    "Histogram": [
        Mistake(
            "15", "The bins are not set to 0", ["held before the call", "Set all 256 bins to 0"], "bins_not_zeroed"
        ),
        Mistake("15", "The stride is one block", ["257 bytes", "counted twice"], "block_stride"),
        Mistake(
            "15",
            "There is no stride",
            ["270336 of 999983 bytes", "which thread or turn of a loop counts it"],
            "no_stride",
        ),
        Mistake(
            "16",
            "The block's counts are never merged",
            ["got 0, want 1", "how does this count reach bins"],
            "missing_merge",
        ),
    ],
    "OpenCL": [
        Mistake(
            "20",
            "Groups instead of work-items",
            ["CL_INVALID_WORK_GROUP_SIZE", "multiple of the work-group's size"],
            "groups_for_items",
        ),
        Mistake(
            "20",
            "The host does not wait for the copy",
            ["nothing was stored in out", "wait until it is there"],
            "does_not_wait",
        ),
        Mistake(
            "20",
            "The kernel does not compile",
            ["OpenCL's compiler refuses the kernels", "first error"],
            edits=[("  const int tile = get_group_id(0) + 1;", "  const int tile = group_id(0) + 1;")],
        ),
        Mistake(
            "20",
            "A kernel's name is misspelt",
            ["CL_INVALID_KERNEL_NAME", "No kernel has this name"],
            edits=[('opencl.program, "scan_tiles")', 'opencl.program, "scan_tile")')],
        ),
        Mistake(
            "20",
            "size_t for an int parameter",
            ["CL_INVALID_ARG_SIZE", "cl_int, not size_t"],
            edits=[
                (
                    "cl::KernelFunctor<cl::Buffer, cl_int, cl::Buffer, cl::Buffer> scan",
                    "cl::KernelFunctor<cl::Buffer, size_t, cl::Buffer, cl::Buffer> scan",
                )
            ],
        ),
        Mistake("20", "The sum of tiles has one level", ["out[262144]", "the sum began there"], "one_level"),
    ],
}
