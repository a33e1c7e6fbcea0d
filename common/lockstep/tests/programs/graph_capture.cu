// Streams that are captured: every call that becomes a node, forks and joins by events, capture into a graph that is
// there already, and what capture says about itself. The same functions run once on a stream and once from a graph.
#include <cooperative_groups.h>

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <numeric>

#include "expect.h"

namespace cg = cooperative_groups;

namespace {

constexpr int kN = 5000;
constexpr size_t kBytes = kN * sizeof(int);
__device__ int g_factor = 1;
__constant__ int c_offset = 0;

__global__ void iota(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = i * g_factor + c_offset;
}
__global__ void sum_of_two(const int* a, const int* b, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = a[i] + b[i];
}
__global__ void reverse_twice(int* values, int n) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < 2; ++round) {
    for (int i = grid.thread_rank(); i < n / 2; i += grid.size()) {
      const int other = values[n - 1 - i];
      values[n - 1 - i] = values[i] + 1;
      values[i] = other + 1;
    }
    // The next round reads what other blocks wrote.
    grid.sync();
  }
}

struct Streams {
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  Streams() {
    CUDA_CHECK(cudaStreamCreateWithFlags(&main, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  }
  Streams(const Streams&) = delete;
  ~Streams() {
    cudaStreamDestroy(main);
    cudaStreamDestroy(side);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
  }
};

struct Data {
  int *a, *b, *c, *out;  // of the device; `out` is the host's, pinned
  void* space = nullptr;
  size_t space_bytes = 0;
  int calls = 0;
  Data() {
    for (int** p : {&a, &b, &c}) CUDA_CHECK(cudaMalloc(p, kBytes));
    CUDA_CHECK(cudaMallocHost(&out, kBytes));
    size_t scan_bytes = 0;
    CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, space_bytes, a, c, kN));
    CUDA_CHECK(cub::DeviceScan::InclusiveSum(nullptr, scan_bytes, a, c, kN));
    space_bytes = std::max(space_bytes, scan_bytes);
    CUDA_CHECK(cudaMalloc(&space, space_bytes));
  }
  Data(const Data&) = delete;
  ~Data() {
    for (void* p : {(void*)a, (void*)b, (void*)c, space}) cudaFree(p);
    cudaFreeHost(out);
  }
};

void CUDART_CB count_call(void* data) { ++*static_cast<int*>(data); }

// Two branches that meet again, with every kind of work that a stream takes.
void work(Streams& s, Data& d) {
  static const int factor = 3, offset = 7;
  CUDA_CHECK(cudaMemcpyToSymbolAsync(g_factor, &factor, sizeof factor, 0, cudaMemcpyHostToDevice, s.main));
  CUDA_CHECK(cudaMemcpyToSymbolAsync(c_offset, &offset, sizeof offset, 0, cudaMemcpyHostToDevice, s.main));
  CUDA_CHECK(cudaEventRecord(s.fork, s.main));
  CUDA_CHECK(cudaStreamWaitEvent(s.side, s.fork, 0));
  iota<<<(kN + 255) / 256, 256, 0, s.main>>>(d.a, kN);
  CUDA_CHECK(cudaMemsetAsync(d.b, 1, kBytes, s.side));
  CUDA_CHECK(cudaMemset2DAsync(d.b, 400, 0, 40, 10, s.side));  // 10 elements in each of 10 rows of 100
  CUDA_CHECK(cudaEventRecord(s.join, s.side));
  CUDA_CHECK(cudaStreamWaitEvent(s.main, s.join, 0));
  int* scratch = nullptr;
  CUDA_CHECK(cudaMallocAsync(&scratch, kBytes, s.main));
  sum_of_two<<<(kN + 255) / 256, 256, 0, s.main>>>(d.a, d.b, scratch, kN);
  int n = kN;
  void* arguments[] = {&scratch, &n};
  CUDA_CHECK(cudaLaunchCooperativeKernel((void*)reverse_twice, dim3(4), dim3(128), arguments, 0, s.main));
  CUDA_CHECK(cub::DeviceScan::InclusiveSum(d.space, d.space_bytes, scratch, d.c, kN, s.main));
  CUDA_CHECK(cudaFreeAsync(scratch, s.main));
  CUDA_CHECK(cudaMemcpyAsync(d.out, d.c, kBytes, cudaMemcpyDeviceToHost, s.main));
  CUDA_CHECK(cudaLaunchHostFunc(s.main, count_call, &d.calls));
}

std::vector<int> expected() {
  std::vector<int> values(kN);
  for (int i = 0; i < kN; ++i) values[i] = i * 3 + 7 + (i < 1000 && i % 100 < 10 ? 0 : 0x01010101) + 2;
  std::vector<unsigned> sums(kN);  // they wrap around
  std::partial_sum(values.begin(), values.end(), sums.begin(), [](unsigned a, unsigned b) { return a + b; });
  return {sums.begin(), sums.end()};
}

std::vector<int> taken(Data& d) {
  const std::vector<int> values(d.out, d.out + kN);
  std::fill(d.out, d.out + kN, 0);
  return values;
}

void the_same_on_both() {
  Streams s;
  Data d;
  work(s, d);
  CUDA_CHECK(cudaStreamSynchronize(s.main));
  expect_equal("on a stream", taken(d), expected());

  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaStreamBeginCapture(s.main, cudaStreamCaptureModeGlobal));
  work(s, d);
  CUDA_CHECK(cudaStreamEndCapture(s.main, &graph));
  expect_equal("calls while it is captured", d.calls, 1);
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CUDA_CHECK(cudaGraphDestroy(graph));
  for (int launch = 0; launch < 2; ++launch) {
    CUDA_CHECK(cudaGraphLaunch(exec, s.main));
    CUDA_CHECK(cudaStreamSynchronize(s.main));
    expect_equal("from a graph", taken(d), expected());
  }
  expect_equal("calls", d.calls, 3);
  CUDA_CHECK(cudaGraphExecDestroy(exec));
}

cudaStreamCaptureStatus status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status;
  CUDA_CHECK(cudaStreamIsCapturing(stream, &status));
  return status;
}

void what_it_says() {
  Streams s;
  Data d;
  CUDA_CHECK(cudaDeviceSynchronize());
  expect_equal("before", status_of(s.main), cudaStreamCaptureStatusNone);
  CUDA_CHECK(cudaStreamBeginCapture(s.main, cudaStreamCaptureModeThreadLocal));
  iota<<<1, 32, 0, s.main>>>(d.a, 32);
  CUDA_CHECK(cudaEventRecord(s.fork, s.main));
  expect_equal("the side before it waits", status_of(s.side), cudaStreamCaptureStatusNone);
  CUDA_CHECK(cudaStreamWaitEvent(s.side, s.fork, 0));
  expect_equal("the side", status_of(s.side), cudaStreamCaptureStatusActive);
  iota<<<1, 32, 0, s.side>>>(d.b, 32);
  iota<<<1, 32, 0, s.main>>>(d.c, 32);
  CUDA_CHECK(cudaEventRecord(s.join, s.side));
  CUDA_CHECK(cudaStreamWaitEvent(s.main, s.join, 0));

  cudaStreamCaptureStatus status;
  unsigned long long id = 0, side_id = 0;
  cudaGraph_t graph = nullptr, side_graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  size_t count = 0;
  CUDA_CHECK(cudaStreamGetCaptureInfo(s.side, &status, &side_id, &side_graph, nullptr, nullptr, nullptr));
  CUDA_CHECK(cudaStreamGetCaptureInfo(s.main, &status, &id, &graph, &last, nullptr, &count));
  expect_equal("one capture", id == side_id && graph == side_graph, true);
  expect_equal("dependencies of the next node", count, size_t{2});

  // A node that is made by hand stands between what was captured and what follows.
  const std::vector<cudaGraphNode_t> before(last, last + count);
  cudaGraphNode_t empty;
  CUDA_CHECK(cudaGraphAddEmptyNode(&empty, graph, before.data(), before.size()));
  CUDA_CHECK(cudaStreamUpdateCaptureDependencies(s.main, &empty, nullptr, 1, cudaStreamSetCaptureDependencies));
  sum_of_two<<<1, 32, 0, s.main>>>(d.b, d.c, d.a, 32);
  cudaGraph_t ended;
  CUDA_CHECK(cudaStreamEndCapture(s.main, &ended));
  expect_equal("the same graph", ended == graph, true);
  size_t nodes = 0, edges = 0;
  CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CUDA_CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  expect_equal("nodes", nodes, size_t{5});
  expect_equal("edges", edges, size_t{5});
  expect_equal("after", status_of(s.side), cudaStreamCaptureStatusNone);
  CUDA_CHECK(cudaGraphDestroy(graph));
}

void into_a_graph() {
  Streams s;
  Data d;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaGraphNode_t clear;
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams ones{d.a, 0, 1, 4, kN, 1};
  CUDA_CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &ones));
  CUDA_CHECK(cudaStreamBeginCaptureToGraph(s.main, graph, &clear, nullptr, 1, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cub::DeviceReduce::Sum(d.space, d.space_bytes, d.a, d.c, kN, s.main));
  CUDA_CHECK(cudaMemcpyAsync(d.out, d.c, sizeof(int), cudaMemcpyDeviceToHost, s.main));
  cudaGraph_t ended;
  CUDA_CHECK(cudaStreamEndCapture(s.main, &ended));
  expect_equal("the program's graph", ended == graph, true);
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));

  // A launch cannot be captured. So the graph becomes a child node by hand, between what is captured.
  cudaGraph_t outer, captured = nullptr;
  cudaGraphExec_t outer_exec;
  CUDA_CHECK(cudaStreamBeginCapture(s.side, cudaStreamCaptureModeRelaxed));
  void* allowed = nullptr;
  CUDA_CHECK(cudaMalloc(&allowed, 64));
  CUDA_CHECK(cudaFree(allowed));
  cudaStreamCaptureStatus status;
  cudaGraphNode_t child;
  CUDA_CHECK(cudaStreamGetCaptureInfo(s.side, &status, nullptr, &captured, nullptr, nullptr, nullptr));
  CUDA_CHECK(cudaGraphAddChildGraphNode(&child, captured, nullptr, 0, graph));
  CUDA_CHECK(cudaStreamUpdateCaptureDependencies(s.side, &child, nullptr, 1, cudaStreamSetCaptureDependencies));
  CUDA_CHECK(cudaLaunchHostFunc(s.side, count_call, &d.calls));
  CUDA_CHECK(cudaStreamEndCapture(s.side, &outer));
  CUDA_CHECK(cudaGraphInstantiate(&outer_exec, outer, 0));
  CUDA_CHECK(cudaGraphLaunch(outer_exec, s.side));
  CUDA_CHECK(cudaStreamSynchronize(s.side));
  expect_equal("a sum", d.out[0], kN);
  expect_equal("calls", d.calls, 1);
  CUDA_CHECK(cudaGraphExecDestroy(outer_exec));
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(outer));
  CUDA_CHECK(cudaGraphDestroy(graph));
}

void external_events() {
  Streams s;
  Data d;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaStreamBeginCapture(s.main, cudaStreamCaptureModeGlobal));
  CUDA_CHECK(cudaStreamWaitEvent(s.main, s.fork, cudaEventWaitExternal));
  sum_of_two<<<(kN + 255) / 256, 256, 0, s.main>>>(d.a, d.a, d.c, kN);
  CUDA_CHECK(cudaEventRecordWithFlags(s.join, s.main, cudaEventRecordExternal));
  CUDA_CHECK(cudaStreamEndCapture(s.main, &graph));
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CUDA_CHECK(cudaMemsetAsync(d.a, 1, kBytes, s.side));
  CUDA_CHECK(cudaEventRecord(s.fork, s.side));
  CUDA_CHECK(cudaGraphLaunch(exec, s.main));
  CUDA_CHECK(cudaStreamWaitEvent(s.side, s.join, 0));
  CUDA_CHECK(cudaMemcpyAsync(d.out, d.c, kBytes, cudaMemcpyDeviceToHost, s.side));
  CUDA_CHECK(cudaStreamSynchronize(s.side));
  expect_equal("between streams", taken(d), std::vector<int>(kN, 0x02020202));
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
}

}  // namespace

int main() {
  the_same_on_both();
  what_it_says();
  into_a_graph();
  external_events();
  return verdict("graph_capture");
}
