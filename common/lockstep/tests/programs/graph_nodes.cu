// Graphs made node by node: each kind of node, its parameters read and changed, edges, copies, updates, user objects.
// Every result is compared with the CPU's. The same binary runs on a card.
#include <cstring>
#include <numeric>

#include "expect.h"

namespace {

__device__ int g_numbers[64];
constexpr int kN = 64;
constexpr size_t kBytes = kN * sizeof(int);

__global__ void add(int* values, int n, int more) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += more;
}
__global__ void scale(int* values, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

void expect_same(const char* what, const void* got, const void* want) { expect_equal(what, got == want, true); }

struct Buffer {
  int* data = nullptr;
  explicit Buffer(int n = kN) {
    CUDA_CHECK(cudaMalloc(&data, n * sizeof(int)));
    CUDA_CHECK(cudaMemset(data, 0, n * sizeof(int)));
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { cudaFree(data); }
  std::vector<int> host(int n = kN) const {
    std::vector<int> values(n);
    CUDA_CHECK(cudaMemcpy(values.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    return values;
  }
};

struct Graph {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  Graph() { CUDA_CHECK(cudaGraphCreate(&graph, 0)); }
  Graph(const Graph&) = delete;
  ~Graph() {
    if (exec) CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
  }
  void launch(int times = 1) {
    if (!exec) CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaGraphUpload(exec, stream));
    for (int i = 0; i < times; ++i) CUDA_CHECK(cudaGraphLaunch(exec, stream));
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaStreamDestroy(stream));
  }
};

using Kernel = void (*)(int*, int, int);

// A node whose kernel gets (data, kN, number). The arguments are local: the node must have copied them.
cudaGraphNode_t kernel_node(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& before, Kernel kernel, int* data,
                            int number) {
  int n = kN;
  void* arguments[] = {&data, &n, &number};
  cudaKernelNodeParams params{};
  params.func = reinterpret_cast<void*>(kernel);
  params.gridDim = dim3(2);
  params.blockDim = dim3(32);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, before.data(), before.size(), &params));
  number = -1000;
  data = nullptr;
  return node;
}

std::vector<int> counting(int first = 0) {
  std::vector<int> values(kN);
  std::iota(values.begin(), values.end(), first);
  return values;
}

template <class F>
std::vector<int> made(F value) {
  std::vector<int> values(kN);
  for (int i = 0; i < kN; ++i) values[i] = value(i);
  return values;
}

void kernels() {
  Buffer a;
  Graph g;
  const auto first = kernel_node(g.graph, {}, add, a.data, 3);
  const auto second = kernel_node(g.graph, {first}, scale, a.data, 5);
  g.launch(2);
  expect_equal("(0 + 3) * 5, and again", a.host(), std::vector<int>(kN, 90));

  cudaKernelNodeParams params{};
  CUDA_CHECK(cudaGraphKernelNodeGetParams(second, &params));
  expect_same("the kernel", params.func, reinterpret_cast<void*>(scale));
  expect_equal("its grid and block", std::vector<int>{int(params.gridDim.x), int(params.blockDim.x)}, {2, 32});
  expect_equal("its last argument", *static_cast<int*>(params.kernelParams[2]), 5);

  // In what was instantiated alone; then in the graph, which what was instantiated does not see.
  int n = kN, factor = 2;
  void* arguments[] = {&a.data, &n, &factor};
  params = {reinterpret_cast<void*>(scale), dim3(2), dim3(32), 0, arguments, nullptr};
  CUDA_CHECK(cudaGraphExecKernelNodeSetParams(g.exec, second, &params));
  g.launch();
  expect_equal("(90 + 3) * 2", a.host(), std::vector<int>(kN, 186));
  factor = 7;
  CUDA_CHECK(cudaGraphKernelNodeSetParams(second, &params));
  g.launch();
  expect_equal("(186 + 3) * 2", a.host(), std::vector<int>(kN, 378));

  unsigned enabled = 2;
  CUDA_CHECK(cudaGraphNodeSetEnabled(g.exec, second, 0));
  CUDA_CHECK(cudaGraphNodeGetEnabled(g.exec, second, &enabled));
  expect_equal("enabled", enabled, 0u);
  g.launch();
  expect_equal("378 + 3", a.host(), std::vector<int>(kN, 381));
  CUDA_CHECK(cudaGraphNodeSetEnabled(g.exec, second, 1));
}

void copies() {
  Buffer a, b;
  const std::vector<int> in = counting(10);
  std::vector<int> out(kN), back(kN);
  Graph g;
  cudaGraphNode_t to_a, to_b, to_symbol, from_symbol, from_b;
  CUDA_CHECK(cudaGraphAddMemcpyNode1D(&to_a, g.graph, nullptr, 0, a.data, in.data(), kBytes, cudaMemcpyHostToDevice));
  const auto more = kernel_node(g.graph, {to_a}, add, a.data, 1);
  cudaMemcpy3DParms box{};  // 4 rows of 16 elements become columns 8 to 15 of themselves
  box.srcPtr = make_cudaPitchedPtr(a.data, 64, 16, 4);
  box.dstPtr = make_cudaPitchedPtr(b.data, 64, 16, 4);
  box.dstPos = make_cudaPos(32, 0, 0);
  box.extent = make_cudaExtent(32, 4, 1);
  box.kind = cudaMemcpyDeviceToDevice;
  CUDA_CHECK(cudaGraphAddMemcpyNode(&to_b, g.graph, &more, 1, &box));
  CUDA_CHECK(cudaGraphAddMemcpyNodeToSymbol(&to_symbol, g.graph, &to_b, 1, g_numbers, b.data, kBytes, 0,
                                            cudaMemcpyDeviceToDevice));
  CUDA_CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, g.graph, &to_symbol, 1, out.data(), g_numbers, kBytes / 2,
                                              kBytes / 2, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaGraphAddMemcpyNode1D(&from_b, g.graph, &to_b, 1, back.data(), b.data, kBytes, cudaMemcpyDeviceToHost));
  g.launch();
  const auto shifted = [](int i) { return i % 16 < 8 ? 0 : 11 + i - 8; };
  expect_equal("a box", back, made(shifted));
  expect_equal("through a variable", out, made([&](int i) { return i < kN / 2 ? shifted(i + kN / 2) : 0; }));

  cudaMemcpy3DParms read{};
  CUDA_CHECK(cudaGraphMemcpyNodeGetParams(to_b, &read));
  expect_same("where the box goes", read.dstPtr.ptr, b.data);
  std::vector<int> other(kN, -1);
  CUDA_CHECK(cudaGraphExecMemcpyNodeSetParams1D(g.exec, to_a, a.data, other.data(), kBytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemset(b.data, 0, kBytes));
  g.launch();
  expect_equal("from another array", back, made([](int) { return 0; }));
}

void fills() {
  Buffer a, b, c, d, e;
  Graph g;
  const auto fill = [&](int* to, size_t pitch, unsigned value, unsigned element, size_t width, size_t height) {
    cudaMemsetParams params{to, pitch, value, element, width, height};
    cudaGraphNode_t node;
    CUDA_CHECK(cudaGraphAddMemsetNode(&node, g.graph, nullptr, 0, &params));
    return node;
  };
  const auto bytes = fill(a.data, 0, 0x5a, 1, kBytes, 1);
  fill(b.data, 0, 0x1234, 2, kN, 1);  // the first half
  fill(c.data, 64, 0x12345678, 4, 5, 4);
  fill(d.data, 0, 0x12343650, 1, kBytes, 1);  // wider than an element
  fill(e.data, 0, 0x12343650, 2, kBytes / 2, 1);
  g.launch();
  expect_equal("bytes", a.host(), std::vector<int>(kN, 0x5a5a5a5a));
  expect_equal("halves", b.host(), made([](int i) { return i < kN / 2 ? 0x12341234 : 0; }));
  expect_equal("a word for bytes", d.host(), std::vector<int>(kN, 0x76767650));
  expect_equal("a word for halves", e.host(), std::vector<int>(kN, 0x36743650));
  expect_equal("words in rows", c.host(), made([](int i) { return i % 16 < 5 ? 0x12345678 : 0; }));

  cudaMemsetParams params{};
  CUDA_CHECK(cudaGraphMemsetNodeGetParams(bytes, &params));
  expect_equal("the value", params.value, 0x5au);
  params.value = 0;
  CUDA_CHECK(cudaGraphExecMemsetNodeSetParams(g.exec, bytes, &params));
  g.launch();
  expect_equal("zeros", a.host(), std::vector<int>(kN, 0));
}

void CUDART_CB append(void* data) {
  auto& values = *static_cast<std::vector<int>*>(data);
  values.push_back(int(values.size()));
}

void host_functions() {
  int* pinned = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned, kBytes));
  std::memset(pinned, 0, kBytes);
  std::vector<int> first, second;
  Graph g;
  const auto kernel = kernel_node(g.graph, {}, add, pinned, 4);
  struct Sum {
    const int* values;
    int sum;
  } sum{pinned, 0};
  cudaHostNodeParams sums{[](void* data) {
                            auto& s = *static_cast<Sum*>(data);
                            s.sum = std::accumulate(s.values, s.values + kN, 0);
                          },
                          &sum};
  cudaHostNodeParams appends{append, &first};
  cudaGraphNode_t summing, appending;
  CUDA_CHECK(cudaGraphAddHostNode(&summing, g.graph, &kernel, 1, &sums));
  CUDA_CHECK(cudaGraphAddHostNode(&appending, g.graph, &summing, 1, &appends));
  g.launch(3);
  expect_equal("the sum of the last launch", sum.sum, kN * 12);
  expect_equal("one call for each launch", first, {0, 1, 2});
  cudaHostNodeParams read{};
  CUDA_CHECK(cudaGraphHostNodeGetParams(appending, &read));
  expect_same("the data", read.userData, &first);
  read.userData = &second;
  CUDA_CHECK(cudaGraphExecHostNodeSetParams(g.exec, appending, &read));
  g.launch();
  expect_equal("other data", second, {0});
  CUDA_CHECK(cudaFreeHost(pinned));
}

void children() {
  Buffer a;
  Graph inner, outer;
  const auto step = kernel_node(inner.graph, {}, add, a.data, 1);
  cudaGraphNode_t child, twice, empty;
  CUDA_CHECK(cudaGraphAddChildGraphNode(&child, outer.graph, nullptr, 0, inner.graph));
  CUDA_CHECK(cudaGraphAddEmptyNode(&empty, outer.graph, &child, 1));
  CUDA_CHECK(cudaGraphAddChildGraphNode(&twice, outer.graph, &empty, 1, inner.graph));
  kernel_node(outer.graph, {twice}, scale, a.data, 10);
  CUDA_CHECK(cudaGraphDestroyNode(step));  // the children are copies
  outer.launch();
  expect_equal("(0 + 1 + 1) * 10", a.host(), std::vector<int>(kN, 20));
  cudaGraph_t copy = nullptr;
  size_t count = 0;
  CUDA_CHECK(cudaGraphChildGraphNodeGetGraph(child, &copy));
  CUDA_CHECK(cudaGraphGetNodes(copy, nullptr, &count));
  expect_equal("nodes of the copy", count, size_t{1});
  CUDA_CHECK(cudaGraphGetNodes(inner.graph, nullptr, &count));
  expect_equal("nodes of the first", count, size_t{0});
  // On a card, `inner` with a new node is another graph: its first node is gone.
  Graph other;
  kernel_node(other.graph, {}, add, a.data, 100);
  CUDA_CHECK(cudaGraphExecChildGraphNodeSetParams(outer.exec, twice, other.graph));
  outer.launch();
  expect_equal("(20 + 1 + 100) * 10", a.host(), std::vector<int>(kN, 1210));
}

void events() {
  Buffer a;
  cudaEvent_t begin, end, outside;
  for (cudaEvent_t* event : {&begin, &end, &outside}) CUDA_CHECK(cudaEventCreate(event));
  Graph g;
  cudaGraphNode_t record_begin, record_end, wait;
  CUDA_CHECK(cudaGraphAddEventWaitNode(&wait, g.graph, nullptr, 0, outside));
  CUDA_CHECK(cudaGraphAddEventRecordNode(&record_begin, g.graph, &wait, 1, begin));
  const auto kernel = kernel_node(g.graph, {record_begin}, add, a.data, 6);
  CUDA_CHECK(cudaGraphAddEventRecordNode(&record_end, g.graph, &kernel, 1, begin));
  CUDA_CHECK(cudaGraphEventRecordNodeSetEvent(record_end, end));
  cudaEvent_t read = nullptr;
  CUDA_CHECK(cudaGraphEventRecordNodeGetEvent(record_end, &read));
  expect_same("the event that is recorded", read, end);
  CUDA_CHECK(cudaGraphEventWaitNodeGetEvent(wait, &read));
  expect_same("the event that is waited for", read, outside);
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA_CHECK(cudaDeviceSynchronize());  // the buffer's zeros come by the default stream
  add<<<2, 32, 0, stream>>>(a.data, kN, 1);
  CUDA_CHECK(cudaEventRecord(outside, stream));
  g.launch();
  CUDA_CHECK(cudaEventSynchronize(end));
  float milliseconds = -1;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  expect_equal("a time", milliseconds >= 0, true);
  expect_equal("1 + 6", a.host(), std::vector<int>(kN, 7));
  CUDA_CHECK(cudaGraphExecEventRecordNodeSetEvent(g.exec, record_begin, outside));
  CUDA_CHECK(cudaGraphExecEventWaitNodeSetEvent(g.exec, wait, begin));
  g.launch();
  CUDA_CHECK(cudaStreamDestroy(stream));
  for (cudaEvent_t event : {begin, end, outside}) CUDA_CHECK(cudaEventDestroy(event));
}

cudaMemAllocNodeParams allocation(size_t bytes) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = bytes;
  return params;
}

void memory() {
  std::vector<int> out(kN);
  cudaGraphNode_t allocate, clear, release, copy;
  {
    Graph g;
    cudaMemAllocNodeParams params = allocation(kBytes);
    CUDA_CHECK(cudaGraphAddMemAllocNode(&allocate, g.graph, nullptr, 0, &params));
    int* const data = static_cast<int*>(params.dptr);
    cudaMemsetParams zeros{data, 0, 0, 1, kBytes, 1};
    CUDA_CHECK(cudaGraphAddMemsetNode(&clear, g.graph, &allocate, 1, &zeros));
    const auto kernel = kernel_node(g.graph, {clear}, add, data, 9);
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&copy, g.graph, &kernel, 1, out.data(), data, kBytes, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&release, g.graph, &copy, 1, data));
    void* read = nullptr;
    CUDA_CHECK(cudaGraphMemFreeNodeGetParams(release, &read));
    expect_same("what is freed", read, data);
    CUDA_CHECK(cudaGraphMemAllocNodeGetParams(allocate, &params));
    expect_equal("what is allocated", params.bytesize, kBytes);
    g.launch(3);
    expect_equal("in a graph's memory", out, std::vector<int>(kN, 9));
  }
  {  // the memory outlives the launch, and is freed outside of the graph
    Graph g;
    cudaMemAllocNodeParams params = allocation(kBytes);
    CUDA_CHECK(cudaGraphAddMemAllocNode(&allocate, g.graph, nullptr, 0, &params));
    int* const data = static_cast<int*>(params.dptr);
    cudaMemsetParams zeros{data, 0, 1, 1, kBytes, 1};
    CUDA_CHECK(cudaGraphAddMemsetNode(&clear, g.graph, &allocate, 1, &zeros));
    g.launch();
    add<<<2, 32>>>(data, kN, 1);
    CUDA_CHECK(cudaMemcpy(out.data(), data, kBytes, cudaMemcpyDeviceToHost));
    expect_equal("after the launch", out, std::vector<int>(kN, 0x01010102));
    CUDA_CHECK(cudaFreeAsync(data, nullptr));
    g.launch();
    CUDA_CHECK(cudaFree(data));
  }
  {  // a launch frees what the one before has left
    Graph g;
    cudaMemAllocNodeParams params = allocation(kBytes);
    CUDA_CHECK(cudaGraphAddMemAllocNode(&allocate, g.graph, nullptr, 0, &params));
    CUDA_CHECK(cudaGraphInstantiate(&g.exec, g.graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    g.launch(3);
    CUDA_CHECK(cudaFree(params.dptr));
  }
  uint64_t used = 1;
  CUDA_CHECK(cudaDeviceGraphMemTrim(0));
  CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  expect_equal("memory of graphs after all", used, uint64_t{0});
}

size_t edge_count(cudaGraph_t graph) {
  size_t count = 0;
  CUDA_CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  return count;
}

void edges() {
  Buffer a;
  Graph g;
  const auto first = kernel_node(g.graph, {}, add, a.data, 2);
  const auto second = kernel_node(g.graph, {}, scale, a.data, 3);
  CUDA_CHECK(cudaGraphAddDependencies(g.graph, &first, &second, nullptr, 1));
  CUDA_CHECK(cudaGraphRemoveDependencies(g.graph, &first, &second, nullptr, 1));
  CUDA_CHECK(cudaGraphAddDependencies(g.graph, &second, &first, nullptr, 1));
  expect_equal("edges", edge_count(g.graph), size_t{1});
  cudaGraphNode_t from, to, roots[2];
  size_t count = 1;
  CUDA_CHECK(cudaGraphGetEdges(g.graph, &from, &to, nullptr, &count));
  expect_same("from", from, second);
  expect_same("to", to, first);
  count = 2;
  CUDA_CHECK(cudaGraphGetRootNodes(g.graph, roots, &count));
  expect_equal("roots", count, size_t{1});
  CUDA_CHECK(cudaGraphNodeGetDependencies(first, nullptr, nullptr, &count));
  expect_equal("dependencies", count, size_t{1});
  CUDA_CHECK(cudaGraphNodeGetDependentNodes(second, &to, nullptr, &count));
  expect_same("what depends on it", to, first);
  cudaGraphNodeType type;
  CUDA_CHECK(cudaGraphNodeGetType(second, &type));
  expect_equal("its type", type, cudaGraphNodeTypeKernel);
  g.launch();
  g.launch();
  expect_equal("(0 * 3 + 2) * 3 + 2", a.host(), std::vector<int>(kN, 8));

  cudaGraph_t clone;
  cudaGraphNode_t found;
  CUDA_CHECK(cudaGraphClone(&clone, g.graph));
  CUDA_CHECK(cudaGraphNodeFindInClone(&found, second, clone));
  CUDA_CHECK(cudaGraphDestroyNode(found));
  CUDA_CHECK(cudaGraphGetNodes(clone, nullptr, &count));
  expect_equal("nodes that are left in the copy", count, size_t{1});
  expect_equal("its edges", edge_count(clone), size_t{0});
  CUDA_CHECK(cudaGraphDestroy(clone));
}

// Of the same shape: the sum, then the product.
void fill_graph(cudaGraph_t graph, int* data, int more, int factor) {
  const auto first = kernel_node(graph, {}, add, data, more);
  kernel_node(graph, {first}, scale, data, factor);
}

void updates() {
  Buffer a, b;
  Graph g, same, other;
  fill_graph(g.graph, a.data, 1, 2);
  g.launch();
  fill_graph(same.graph, b.data, 4, 5);
  cudaGraphExecUpdateResultInfo info{};
  CUDA_CHECK(cudaGraphExecUpdate(g.exec, same.graph, &info));
  expect_equal("the result", info.result, cudaGraphExecUpdateSuccess);
  g.launch();
  expect_equal("the first is left alone", a.host(), std::vector<int>(kN, 2));
  expect_equal("(0 + 4) * 5", b.host(), std::vector<int>(kN, 20));
  kernel_node(other.graph, {}, add, a.data, 1);
  expect_equal("another shape", cudaGraphExecUpdate(g.exec, other.graph, &info), cudaErrorGraphExecUpdateFailure);
  expect_equal("its result", info.result, cudaGraphExecUpdateErrorTopologyChanged);
  Graph filled;
  cudaGraphNode_t node;
  const auto first = kernel_node(filled.graph, {}, add, a.data, 1);
  cudaMemsetParams zeros{a.data, 0, 0, 1, kBytes, 1};
  CUDA_CHECK(cudaGraphAddMemsetNode(&node, filled.graph, &first, 1, &zeros));
  expect_equal("another kind", cudaGraphExecUpdate(g.exec, filled.graph, &info), cudaErrorGraphExecUpdateFailure);
  expect_equal("its result", info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
  cudaGetLastError();
  g.launch();
  expect_equal("(20 + 4) * 5", b.host(), std::vector<int>(kN, 120));
}

void user_objects() {
  std::vector<int> destroyed;
  cudaUserObject_t object;
  CUDA_CHECK(cudaUserObjectCreate(&object, &destroyed, append, 1, cudaUserObjectNoDestructorSync));
  {
    Graph g;
    Buffer a;
    kernel_node(g.graph, {}, add, a.data, 1);
    CUDA_CHECK(cudaGraphRetainUserObject(g.graph, object, 1, cudaGraphUserObjectMove));
    CUDA_CHECK(cudaUserObjectRetain(object, 2));
    CUDA_CHECK(cudaUserObjectRelease(object, 2));
    g.launch();
    expect_equal("destroyed while the graph is there", destroyed.size(), size_t{0});
  }
  CUDA_CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 1000 && destroyed.empty(); ++i) CUDA_CHECK(cudaDeviceSynchronize());
  expect_equal("destroyed with the graph", destroyed, {0});
}

void generic() {
  Buffer a;
  Graph g;
  int n = kN, number = 8;
  void* arguments[] = {&a.data, &n, &number};
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeKernel;
  params.kernel.func = reinterpret_cast<void*>(add);
  params.kernel.gridDim = dim3(2);
  params.kernel.blockDim = dim3(32);
  params.kernel.kernelParams = arguments;
  cudaGraphNode_t kernel, copy;
  CUDA_CHECK(cudaGraphAddNode(&kernel, g.graph, nullptr, nullptr, 0, &params));
  std::vector<int> out(kN);
  cudaGraphNodeParams back{};
  back.type = cudaGraphNodeTypeMemcpy;
  back.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(a.data, kBytes, kBytes, 1);
  back.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(out.data(), kBytes, kBytes, 1);
  back.memcpy.copyParams.extent = make_cudaExtent(kBytes, 1, 1);
  back.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  CUDA_CHECK(cudaGraphAddNode(&copy, g.graph, &kernel, nullptr, 1, &back));
  g.launch();
  expect_equal("0 + 8", out, std::vector<int>(kN, 8));
  number = 1;
  CUDA_CHECK(cudaGraphExecNodeSetParams(g.exec, kernel, &params));
  g.launch();
  expect_equal("8 + 1", out, std::vector<int>(kN, 9));
}

}  // namespace

int main() {
  kernels();
  copies();
  fills();
  host_functions();
  children();
  events();
  memory();
  edges();
  updates();
  user_objects();
  generic();
  return verdict("graph_nodes");
}
