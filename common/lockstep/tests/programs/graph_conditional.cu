// Conditional nodes: a body that runs if a kernel says so, one of two, again and again, or one of many. Bodies are made
// node by node, or captured.
#include "expect.h"

namespace {

__global__ void set_condition(cudaGraphConditionalHandle handle, const int* value) {
  cudaGraphSetConditional(handle, unsigned(*value));
}
__global__ void count_down(cudaGraphConditionalHandle handle, int* left, int* rounds) {
  ++*rounds;
  cudaGraphSetConditional(handle, --*left > 0);
}
__global__ void write(int* to, int value) { *to = value; }

struct Numbers {  // in memory that host and device reach
  int* data = nullptr;
  Numbers() {
    CUDA_CHECK(cudaMallocManaged(&data, 4 * sizeof(int)));
    for (int i = 0; i < 4; ++i) data[i] = 0;
  }
  Numbers(const Numbers&) = delete;
  ~Numbers() { cudaFree(data); }
};

template <class... T>
cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t* before, size_t count, void* kernel, T... values) {
  void* arguments[] = {&values...};
  cudaKernelNodeParams params{kernel, dim3(1), dim3(1), 0, arguments, nullptr};
  cudaGraphNode_t node = nullptr;
  CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, before, count, &params));
  return node;
}

// A conditional node behind a kernel that sets the condition to numbers[0]. Gives its bodies.
cudaGraph_t* conditional(cudaGraph_t graph, const Numbers& numbers, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphConditionalHandle handle;
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
  const auto kernel =
      kernel_node(graph, nullptr, 0, reinterpret_cast<void*>(set_condition), handle, (const int*)numbers.data);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = size;
  cudaGraphNode_t node;
  CUDA_CHECK(cudaGraphAddNode(&node, graph, &kernel, nullptr, 1, &params));
  return params.conditional.phGraph_out;
}

int result(cudaGraphExec_t exec, const Numbers& numbers, int value) {
  numbers.data[0] = value;
  numbers.data[1] = -1;
  CUDA_CHECK(cudaGraphLaunch(exec, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  return numbers.data[1];
}

void one_of(cudaGraphConditionalNodeType type, unsigned size, const std::vector<int>& want) {
  Numbers numbers;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaGraph_t* const bodies = conditional(graph, numbers, type, size);
  for (unsigned i = 0; i < size; ++i)
    kernel_node(bodies[i], nullptr, 0, reinterpret_cast<void*>(write), numbers.data + 1, int(100 + i));
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  std::vector<int> got;
  for (int value = 0; value < 4; ++value) got.push_back(result(exec, numbers, value));
  expect_equal("results for 0, 1, 2, 3", got, want);
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
}

void loop() {
  Numbers numbers;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStream_t stream;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  CUDA_CHECK(cudaStreamCreate(&stream));
  cudaGraphConditionalHandle handle;
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphNode_t node;
  CUDA_CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  CUDA_CHECK(cudaStreamBeginCaptureToGraph(stream, params.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                           cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(handle, numbers.data, numbers.data + 1);
  CUDA_CHECK(cudaStreamEndCapture(stream, nullptr));
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (const int rounds : {5, 1, 3}) {
    numbers.data[0] = rounds;
    numbers.data[1] = 0;
    CUDA_CHECK(cudaGraphLaunch(exec, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    expect_equal("rounds", numbers.data[1], rounds);
  }
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
  CUDA_CHECK(cudaStreamDestroy(stream));
}

}  // namespace

int main() {
  one_of(cudaGraphCondTypeIf, 1, {-1, 100, 100, 100});
  one_of(cudaGraphCondTypeIf, 2, {101, 100, 100, 100});
  one_of(cudaGraphCondTypeSwitch, 3, {100, 101, 102, -1});
  loop();
  return verdict("graph_conditional");
}
