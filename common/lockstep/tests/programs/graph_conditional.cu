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

// A loop behind these nodes. Gives its body.
cudaGraph_t loop_body(cudaGraph_t graph, const cudaGraphNode_t* before, size_t count,
                      cudaGraphConditionalHandle handle) {
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphNode_t node;
  CUDA_CHECK(cudaGraphAddNode(&node, graph, before, nullptr, count, &params));
  return params.conditional.phGraph_out[0];
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
  const cudaGraph_t body = loop_body(graph, nullptr, 0, handle);
  CUDA_CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
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

// A loop in the body of a loop: 3 rounds of 2. A kernel before the inner loop starts it again.
void nested() {
  Numbers numbers;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle outer, inner;
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault));
  const cudaGraph_t outer_body = loop_body(graph, nullptr, 0, outer);
  void* const count = reinterpret_cast<void*>(count_down);
  const auto first = kernel_node(outer_body, nullptr, 0, count, outer, numbers.data, numbers.data + 1);
  const auto two = kernel_node(outer_body, &first, 1, reinterpret_cast<void*>(write), numbers.data + 2, 2);
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&inner, outer_body, 0, 0));
  const auto again =
      kernel_node(outer_body, &two, 1, reinterpret_cast<void*>(set_condition), inner, (const int*)numbers.data + 2);
  const cudaGraph_t inner_body = loop_body(outer_body, &again, 1, inner);
  kernel_node(inner_body, nullptr, 0, count, inner, numbers.data + 2, numbers.data + 3);
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  numbers.data[0] = 3;
  CUDA_CHECK(cudaGraphLaunch(exec, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());
  expect_equal("rounds", std::vector<int>(numbers.data, numbers.data + 4), {0, 3, 0, 6});
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
}

// The default of a condition in the body of a loop is assigned once for each launch, not in each round.
void nested_default() {
  Numbers numbers;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA_CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle outer, inner;
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&outer, graph, 1, cudaGraphCondAssignDefault));
  const cudaGraph_t outer_body = loop_body(graph, nullptr, 0, outer);
  void* const count = reinterpret_cast<void*>(count_down);
  const auto first = kernel_node(outer_body, nullptr, 0, count, outer, numbers.data, numbers.data + 1);
  CUDA_CHECK(cudaGraphConditionalHandleCreate(&inner, outer_body, 1, cudaGraphCondAssignDefault));
  kernel_node(loop_body(outer_body, &first, 1, inner), nullptr, 0, count, inner, numbers.data + 2, numbers.data + 3);
  CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int launch = 1; launch <= 2; ++launch) {
    numbers.data[0] = 3;
    numbers.data[2] = 1;
    CUDA_CHECK(cudaGraphLaunch(exec, nullptr));
    CUDA_CHECK(cudaDeviceSynchronize());
    expect_equal("rounds", std::vector<int>(numbers.data, numbers.data + 4), {0, 3 * launch, 0, launch});
  }
  CUDA_CHECK(cudaGraphExecDestroy(exec));
  CUDA_CHECK(cudaGraphDestroy(graph));
}

}  // namespace

int main() {
  one_of(cudaGraphCondTypeIf, 1, {-1, 100, 100, 100});
  one_of(cudaGraphCondTypeIf, 2, {101, 100, 100, 100});
  one_of(cudaGraphCondTypeSwitch, 3, {100, 101, 102, -1});
  loop();
  nested();
  nested_default();
  return verdict("graph_conditional");
}
