// scan, in OpenCL: the exclusive scan of lab 10, for any device that has an OpenCL driver.
//
// This file is the scan of lab 08 in OpenCL: one work-group of 256 work-items scans one tile, right up to 512 elements.
// Its author listed two things that were still to do: arrays of any length, and padding against bank conflicts. They
// are the TODOs. Everything around them runs already; lab 10 shows how the missing parts are done.
#include <cstddef>

#include "common/contracts/scan.h"
#include "common/opencl.h"

// OpenCL C, compiled when the program runs: the C++ compiler sees only a string.
const char* const kKernels = OPENCL_LINE R"CL(
#define GROUP 256          // work-items
#define TILE (2 * GROUP)   // elements, two a work-item; a power of two, or the tree does not come out even
#define BANKS 32           // of a GPU's local memory, each a word of four bytes wide

// The word of element i.
#define PADDED(i) (i)  // TODO 1 (1 line): as in lab 09; the array below already has room for it

// Scans each tile by itself, exclusive. sums[t] becomes the sum of tile t.
kernel void scan_tiles(global const float* restrict in, int n, global float* restrict out,
                       global float* restrict sums) {
  local float tile[PADDED(TILE)];
  const int id = get_local_id(0);
  const int first = id;  // TODO 2 (1 line): the first of this work-item's two elements, in the whole array
  const int second = first + GROUP;

  // No early return beyond n: every work-item has to come to the barriers. Zeros change no sum.
  tile[PADDED(id)] = first < n ? in[first] : 0.0f;
  tile[PADDED(id + GROUP)] = second < n ? in[second] : 0.0f;

  // Up-sweep: the last element of a node of 2 * stride elements gets their sum.
  for (int stride = 1; stride < TILE; stride *= 2) {
    // Other work-items wrote this pair: when they filled the tile, or in the step before.
    barrier(CLK_LOCAL_MEM_FENCE);
    const int right = 2 * stride * (id + 1) - 1;
    const int left = right - stride;
    if (right < TILE) tile[PADDED(right)] += tile[PADDED(left)];
  }

  // The sum before the root is 0. Work-item 0 itself wrote the root's sum, so no barrier is needed here.
  if (id == 0) {
    sums[get_group_id(0)] = 0;  // TODO 3 (1 line): the sum of the tile
    tile[PADDED(TILE - 1)] = 0.0f;
  }

  // Down-sweep: a node holds the sum before it. Its left half gets the same; its right half adds the left half's sum.
  for (int stride = TILE / 2; stride > 0; stride /= 2) {
    // Another work-item wrote the sum before this node, in the step before.
    barrier(CLK_LOCAL_MEM_FENCE);
    const int right = 2 * stride * (id + 1) - 1;
    const int left = right - stride;
    if (right < TILE) {
      const float before = tile[PADDED(right)];
      const float left_sum = tile[PADDED(left)];
      tile[PADDED(left)] = before;
      tile[PADDED(right)] = before + left_sum;
    }
  }

  // Other work-items finished the elements that this work-item stores.
  barrier(CLK_LOCAL_MEM_FENCE);
  if (first < n) out[first] = tile[PADDED(id)];
  if (second < n) out[second] = tile[PADDED(id + GROUP)];
}

// Fan-out: each element of a tile adds the sum of all tiles before its own.
// TODO 4 (8 lines): kernel void add_offsets(…), with lab 10's parameters; say of each pointer which memory it points to.
)CL";

constexpr int kGroup = 256;  // as in the kernels
constexpr int kTile = 2 * kGroup;

namespace {

// The objects that OpenCL needs before the first kernel runs. Making them takes long, so all calls share one set.
struct OpenCl {
  cl::Context context{opencl_device()};
  cl::CommandQueue queue{context};  // in order: a command begins when the one before it is done
  cl::Program program = opencl_program(context, kKernels);
};

// The number of tiles for n > 0 elements; the last one may not be full.
int tile_count(int n) {
  return n > 0 ? 1 : 0;  // TODO 5 (1 line): as in lab 07
}

// How to launch `count` work-groups: the number of all work-items, and the number in a group.
cl::EnqueueArgs groups(OpenCl& opencl, [[maybe_unused]] int count) {
  return {opencl.queue, cl::NDRange(kGroup), cl::NDRange(kGroup)};  // TODO 6 (1 line): that is one group
}

cl::Buffer floats(OpenCl& opencl, int count) {
  return {opencl.context, CL_MEM_READ_WRITE, static_cast<size_t>(count) * sizeof(float)};
}

// Only enqueues. OpenCL keeps a buffer whose last owner is gone until the commands that use it are done.
void scan_level(OpenCl& opencl, const cl::Buffer& in, int n, const cl::Buffer& out) {
  const int tiles = tile_count(n);
  const cl::Buffer sums = floats(opencl, tiles);
  cl::KernelFunctor<cl::Buffer, cl_int, cl::Buffer, cl::Buffer> scan_tiles(opencl.program, "scan_tiles");
  scan_tiles(groups(opencl, tiles), in, n, out, sums);
  // TODO 7 (5 lines): if there are more tiles than one, the scan of the sums, and the fan-out
}

}  // namespace

void scan_exclusive_opencl(const float* in, int n, float* out) {
  if (n == 0) return;                   // a buffer of no bytes is an error
  static OpenCl& opencl = *new OpenCl;  // never destroyed: as the program ends, the driver may be gone before it
  const size_t bytes = static_cast<size_t>(n) * sizeof(float);
  const cl::Buffer device_in = floats(opencl, n);
  const cl::Buffer device_out = floats(opencl, n);
  opencl.queue.enqueueWriteBuffer(device_in, CL_FALSE, 0, bytes, in);
  scan_level(opencl, device_in, n, device_out);
  // CL_TRUE: returns when the result is there. The queue is in order, so every other command is done then.
  opencl.queue.enqueueReadBuffer(device_out, CL_TRUE, 0, bytes, out);
}
