// graph_answers_test: what calls about graphs and captures return, and to what a graph may be updated. The answers are
// those of an H200 (driver 580.159), unless a test says that they are lockstep's own. runtime_graphs.cu has more, which
// a card can be asked again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/runtime/graphs.h"

namespace lockstep::runtime_test {
namespace {

constexpr cudaGraphEdgeData kEarly{cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic, {}};

TEST_F(RuntimeApi, EdgesThatCannotBeAreRefused) {
  const Program program = plain_program();
  Instantiated graph, other;
  const cudaGraphNode_t a = empty_node(graph.graph), b = empty_node(graph.graph, {a}), c = empty_node(graph.graph, {b});
  const cudaGraphNode_t twice[] = {a, a};
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddEmptyNode(&node, graph.graph, twice, 2), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphRemoveDependencies(other.graph, &a, &b, nullptr, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphAddDependencies(graph.graph, &a, &c, &kEarly, 1), cudaErrorInvalidValue);
  EXPECT_EQ(count_of_nodes(graph.graph), 3u);
  ASSERT_EQ(cudaGraphAddDependencies(graph.graph, &c, &b, nullptr, 1), cudaSuccess);
  cudaGraphInstantiateParams params{};
  EXPECT_EQ(cudaGraphInstantiateWithParams(&graph.exec, graph.graph, &params), cudaErrorInvalidValue);
  EXPECT_EQ(params.result_out, cudaGraphInstantiateInvalidStructure);
  EXPECT_EQ(params.errNode_out, b) << "the first node of the circle";
  const cudaGraphNode_t first = store_node(other.graph, 1, nullptr), second = store_node(other.graph, 1, nullptr);
  ASSERT_EQ(cudaGraphAddDependencies(other.graph, &first, &second, &kEarly, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphRemoveDependencies(other.graph, &first, &second, nullptr, 1), cudaSuccess);
}

TEST_F(RuntimeApi, ACaptureKeepsWhatItsEdgesSay) {
  const Program program = plain_program();
  unsigned char value = 1, *d = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  void* arguments[] = {&value, &d};
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaLaunchKernel(&store_stub, dim3(1), dim3(1), arguments, 0, stream), cudaSuccess);
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t* last = nullptr;
  const cudaGraphEdgeData* data = nullptr;
  size_t count = 0;
  const auto ask = [&](const cudaGraphEdgeData** edges) {
    return cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, edges, &count);
  };
  ASSERT_EQ(ask(nullptr), cudaSuccess);
  cudaGraphNode_t first = last[0];
  EXPECT_EQ(cudaStreamUpdateCaptureDependencies(stream, &first, &kEarly, 1, cudaStreamSetCaptureDependencies),
            cudaSuccess);
  EXPECT_EQ(ask(nullptr), cudaErrorLossyQuery);
  EXPECT_EQ(ask(&data), cudaSuccess);
  EXPECT_EQ(data[0].type, cudaGraphDependencyTypeProgrammatic);
  ASSERT_EQ(cudaLaunchKernel(&store_stub, dim3(1), dim3(1), arguments, 0, stream), cudaSuccess);
  cudaLaunchAttribute attributes[2]{};
  attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[0].val.programmaticStreamSerializationAllowed = 1;
  attributes[1].id = cudaLaunchAttributePriority;
  attributes[1].val.priority = -100;
  const cudaLaunchConfig_t config{dim3(1), dim3(1), 0, stream, attributes, 2};
  ASSERT_EQ(cudaLaunchKernelExC(&config, &store_stub, arguments), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphNode_t from[2], to[2];
  cudaGraphEdgeData edges[2];
  count = 2;
  EXPECT_EQ(cudaGraphGetEdges(graph, from, to, nullptr, &count), cudaErrorLossyQuery);
  EXPECT_EQ(cudaGraphGetEdges(graph, from, to, edges, &count), cudaSuccess);
  for (const cudaGraphEdgeData& edge : edges) {
    EXPECT_EQ(edge.type, cudaGraphDependencyTypeProgrammatic);
    EXPECT_EQ(edge.from_port, cudaGraphKernelNodePortProgrammatic);
  }
  cudaLaunchAttributeValue priority{};
  EXPECT_EQ(cudaGraphKernelNodeGetAttribute(first, cudaLaunchAttributePriority, &priority), cudaSuccess);
  EXPECT_EQ(priority.priority, -2) << "the stream's";
  EXPECT_EQ(cudaGraphKernelNodeGetAttribute(to[1], cudaLaunchAttributePriority, &priority), cudaSuccess);
  EXPECT_EQ(priority.priority, -5) << "the launch's, as far as there is such a priority";
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

// The two nodes for a box with rows between its slices are lockstep's own.
TEST_F(RuntimeApi, ABoxIsCapturedAsRows) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  char *d = nullptr, seen[24];
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 24), cudaSuccess);
  for (const size_t height : {3, 2}) {  // slices of three rows lie 12 bytes apart
    Instantiated captured;
    ASSERT_EQ(cudaGraphDestroy(captured.graph), cudaSuccess);
    ASSERT_EQ(cudaMemset(d, 0, 24), cudaSuccess);
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_EQ(cudaMemset3DAsync({d, 4, 4, 3}, 7, {4, height, 2}, stream), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(d, seen, 0, cudaMemcpyHostToDevice, stream), cudaSuccess);  // no node
    ASSERT_EQ(cudaStreamEndCapture(stream, &captured.graph), cudaSuccess);
    EXPECT_EQ(count_of_nodes(captured.graph), height == 3 ? 1u : 2u);
    ASSERT_EQ(captured.launch(), cudaSuccess);
    ASSERT_EQ(cudaMemcpy(seen, d, 24, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(std::ranges::count(seen, 7), 8 * static_cast<int>(height));
    EXPECT_EQ(seen[12], 7);
  }
}

TEST_F(RuntimeApi, WhatMakesACaptureInvalid) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 8), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  testing::internal::CaptureStderr();
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  float time = 0;
  EXPECT_EQ(cudaEventElapsedTime(&time, event, event), cudaErrorCapturedEvent);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess) << "the question alone does no harm";
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeerAsync(d, 0, d + 4, 0, 4, stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  testing::internal::GetCapturedStderr();
}

TEST_F(RuntimeApi, NodesThatCannotBeAreRefused) {
  const Program program = plain_program();
  Instantiated graph, inner;
  cudaGraphNode_t node = nullptr;
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeEmpty;
  params.reserved0[1] = 1;
  EXPECT_EQ(cudaGraphAddNode(&node, graph.graph, nullptr, nullptr, 0, &params), cudaErrorInvalidValue);
  const cudaKernelNodeParams no_function{nullptr, dim3(1), dim3(1), 0, nullptr, nullptr};
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph.graph, nullptr, 0, &no_function), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph.graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
  const cudaGraphNode_t kernel = store_node(graph.graph, 1, nullptr);
  cudaLaunchAttributeValue value{};
  value.accessPolicyWindow.hitRatio = 1.5f;
  EXPECT_EQ(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeAccessPolicyWindow, &value),
            cudaErrorInvalidValue);
  constexpr int kUnknown = CUDART_VERSION < 13000 ? 6 : 31;  // CUDA 12 has fewer attributes: its type cannot hold 31
  for (const int id : {0, 6, kUnknown}) {
    const auto attribute = static_cast<cudaLaunchAttributeID>(id);
    EXPECT_EQ(cudaGraphKernelNodeGetAttribute(kernel, attribute, &value), cudaErrorInvalidValue) << id;
    EXPECT_EQ(cudaGraphKernelNodeSetAttribute(kernel, attribute, &value), cudaErrorInvalidValue) << id;
  }
  // A clone's own nodes are found in it, and those of its child graphs are not.
  cudaGraphNode_t child = nullptr, deep = nullptr;
  cudaGraph_t clone = nullptr, part = nullptr;
  size_t one = 1;
  empty_node(inner.graph);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, graph.graph, nullptr, 0, inner.graph), cudaSuccess);
  ASSERT_EQ(cudaGraphChildGraphNodeGetGraph(child, &part), cudaSuccess);
  ASSERT_EQ(cudaGraphGetNodes(part, &deep, &one), cudaSuccess);
  ASSERT_EQ(cudaGraphClone(&clone, graph.graph), cudaSuccess);
  EXPECT_EQ(cudaGraphNodeFindInClone(&node, child, clone), cudaSuccess);
  EXPECT_EQ(cudaGraphNodeFindInClone(&node, deep, clone), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(clone), cudaSuccess);
}

cudaMemAllocNodeParams memory_of(size_t bytes) {
  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = bytes;
  return memory;
}

TEST_F(RuntimeApi, AGraphWithMemoryNodesKeepsItsShape) {
  Instantiated graph, other, inner;
  cudaGraphNode_t allocation = nullptr, node = nullptr, child = nullptr;
  cudaMemAllocNodeParams memory = memory_of(64);
  ASSERT_EQ(cudaGraphAddMemAllocNode(&allocation, graph.graph, nullptr, 0, &memory), cudaSuccess);
  const cudaGraphNode_t last = empty_node(graph.graph, {allocation});
  ASSERT_EQ(cudaGraphAddMemFreeNode(&node, graph.graph, &last, 1, memory.dptr), cudaSuccess);
  EXPECT_EQ(cudaGraphAddMemFreeNode(&node, other.graph, nullptr, 0, memory.dptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphRemoveDependencies(graph.graph, &allocation, &last, nullptr, 1), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphDestroyNode(last), cudaErrorNotSupported);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeMemAlloc;
  EXPECT_EQ(cudaGraphNodeSetParams(allocation, &params), cudaErrorNotSupported);
  cudaGraph_t part = nullptr;
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, other.graph, nullptr, 0, inner.graph), cudaSuccess);
  ASSERT_EQ(cudaGraphChildGraphNodeGetGraph(child, &part), cudaSuccess);
  EXPECT_EQ(cudaGraphAddMemAllocNode(&node, part, nullptr, 0, &memory), cudaErrorNotSupported);
  memory = memory_of(64);
  memory.poolProps.location.id = 77;
  EXPECT_EQ(cudaGraphAddMemAllocNode(&node, inner.graph, nullptr, 0, &memory), cudaErrorInvalidValue);
  memory = memory_of(64);
  memory.poolProps.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_EQ(cudaGraphAddMemAllocNode(&node, inner.graph, nullptr, 0, &memory), cudaErrorNotSupported);
}

// A graph with an IF node, whose body stores `value`.
cudaGraph_t conditional_graph(unsigned initially, unsigned char value, void* to) {
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 1;
  EXPECT_EQ(cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, initially, cudaGraphCondAssignDefault),
            cudaSuccess);
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), cudaSuccess);
  if (to) store_node(params.conditional.phGraph_out[0], value, to);
  return graph;
}

TEST_F(RuntimeApi, WhatAGraphCannotHoldIsNamedWhenItIsInstantiated) {
  const Program program = plain_program();
  Instantiated graph;
  const cudaHostNodeParams nothing{[](void*) {}, nullptr};
  const cudaGraphNode_t kernel = store_node(graph.graph, 1, nullptr);
  cudaGraphNode_t host = nullptr;
  ASSERT_EQ(cudaGraphAddHostNode(&host, graph.graph, &kernel, 1, &nothing), cudaSuccess);
  cudaGraphInstantiateParams params{};
  params.flags = cudaGraphInstantiateFlagDeviceLaunch;
  cudaGraphExec_t exec = nullptr;
  EXPECT_EQ(cudaGraphInstantiateWithParams(&exec, graph.graph, &params), cudaErrorInvalidValue);
  EXPECT_EQ(params.result_out, cudaGraphInstantiateNodeOperationNotSupported);
  EXPECT_EQ(params.errNode_out, host);
  params.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch;
  EXPECT_EQ(cudaGraphInstantiateWithParams(&exec, graph.graph, &params), cudaErrorInvalidValue);
  params.flags = cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;
  ASSERT_EQ(cudaGraphInstantiateWithParams(&exec, graph.graph, &params), cudaSuccess);
  unsigned long long flags = 1;
  EXPECT_EQ(cudaGraphExecGetFlags(exec, &flags), cudaSuccess);
  EXPECT_EQ(flags, 0u);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);

  Instantiated outer;
  cudaGraphNodeParams conditional{};
  conditional.type = cudaGraphNodeTypeConditional;
  conditional.conditional.type = cudaGraphCondTypeIf;
  conditional.conditional.size = 1;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&conditional.conditional.handle, outer.graph, 1, 0), cudaSuccess);
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddNode(&node, graph.graph, nullptr, nullptr, 0, &conditional), cudaErrorInvalidValue)
      << "the handle is another graph's";
  ASSERT_EQ(cudaGraphAddNode(&node, outer.graph, nullptr, nullptr, 0, &conditional), cudaSuccess);
  ASSERT_EQ(cudaGraphAddHostNode(&host, conditional.conditional.phGraph_out[0], nullptr, 0, &nothing), cudaSuccess);
  EXPECT_EQ(cudaGraphInstantiate(&exec, outer.graph, 0), cudaErrorInvalidValue);
}

// What is instantiated from a graph is updated from others.
struct Updates : Instantiated {
  cudaGraphExecUpdateResultInfo info{};
  std::vector<cudaGraph_t> others;
  ~Updates() {
    for (const cudaGraph_t other : others) { EXPECT_EQ(cudaGraphDestroy(other), cudaSuccess); }
  }
  cudaGraph_t another() {
    EXPECT_EQ(cudaGraphCreate(&others.emplace_back(), 0), cudaSuccess);
    return others.back();
  }
  cudaGraphExecUpdateResult update(cudaGraph_t from) {
    const cudaError_t error = cudaGraphExecUpdate(exec, from, &info);
    EXPECT_EQ(error, info.result == cudaGraphExecUpdateSuccess ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
    return info.result;
  }
};

TEST_F(RuntimeApi, AnUpdateKeepsTheRowsOfAFill) {
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 64), cudaSuccess);
  Updates exec;
  cudaGraphNode_t node = nullptr, changed = nullptr;
  cudaMemsetParams fill{d, 8, 1, 1, 4, 2};
  ASSERT_EQ(cudaGraphAddMemsetNode(&node, exec.graph, nullptr, 0, &fill), cudaSuccess);
  ASSERT_EQ(exec.launch(), cudaSuccess);
  fill.value = 2;
  const cudaGraph_t same = exec.another();
  ASSERT_EQ(cudaGraphAddMemsetNode(&changed, same, nullptr, 0, &fill), cudaSuccess);
  EXPECT_EQ(exec.update(same), cudaGraphExecUpdateSuccess);
  fill.height = 1;
  const cudaGraph_t other = exec.another();
  ASSERT_EQ(cudaGraphAddMemsetNode(&changed, other, nullptr, 0, &fill), cudaSuccess);
  EXPECT_EQ(exec.update(other), cudaGraphExecUpdateErrorParametersChanged);
  EXPECT_EQ(exec.info.errorNode, changed);
  EXPECT_EQ(cudaGraphExecMemsetNodeSetParams(exec.exec, node, &fill), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, AnUpdateKeepsTheMemoriesOfACopy) {
  void *d = nullptr, *pinned = nullptr;
  char pageable[64]{};
  ASSERT_EQ(cudaMalloc(&d, 64), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 64), cudaSuccess);
  Updates exec;
  cudaGraphNode_t node = nullptr, changed = nullptr;
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&node, exec.graph, nullptr, 0, d, pinned, 16, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(exec.launch(), cudaSuccess);
  const cudaGraph_t longer = exec.another(), within = exec.another();
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&changed, longer, nullptr, 0, d, pageable, 64, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(exec.update(longer), cudaGraphExecUpdateSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&changed, within, nullptr, 0, d, d, 16, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(exec.update(within), cudaGraphExecUpdateErrorParametersChanged);
  EXPECT_EQ(exec.info.errorNode, changed);
  const auto set = [&](void* from, size_t bytes, cudaMemcpyKind kind) {
    return cudaGraphExecMemcpyNodeSetParams1D(exec.exec, node, d, from, bytes, kind);
  };
  EXPECT_EQ(set(pageable, 8, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(set(pinned, 8, cudaMemcpyDefault), cudaErrorInvalidValue);
  cudaMemcpy3DParms rows{};
  rows.srcPtr = {pageable, 8, 8, 2};
  rows.dstPtr = {d, 8, 8, 2};
  rows.extent = {8, 2, 1};
  rows.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams(exec.exec, node, &rows), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, AnUpdateKeepsPrioritiesIfTheyCount) {
  const Program program = plain_program();
  Updates counts, ignores;
  cudaLaunchAttributeValue high{};
  high.priority = -5;
  const cudaGraph_t other = counts.another();
  const cudaGraphNode_t node = store_node(other, 1, nullptr);
  ASSERT_EQ(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributePriority, &high), cudaSuccess);
  store_node(counts.graph, 1, nullptr), store_node(ignores.graph, 1, nullptr);
  ASSERT_EQ(cudaGraphInstantiate(&counts.exec, counts.graph, cudaGraphInstantiateFlagUseNodePriority), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&ignores.exec, ignores.graph, 0), cudaSuccess);
  EXPECT_EQ(counts.update(other), cudaGraphExecUpdateErrorAttributesChanged);
  EXPECT_EQ(counts.info.errorNode, node);
  EXPECT_EQ(ignores.update(other), cudaGraphExecUpdateSuccess);
}

TEST_F(RuntimeApi, AnUpdateNamesALastNodeThatIsTooMany) {
  Updates exec;
  empty_node(exec.graph, {empty_node(exec.graph, {empty_node(exec.graph)})});
  ASSERT_EQ(exec.launch(), cudaSuccess);
  const cudaGraph_t other = exec.another();
  const cudaGraphNode_t root = empty_node(other);
  empty_node(other, {root});
  const cudaGraphNode_t last = empty_node(other, {root});
  EXPECT_EQ(exec.update(other), cudaGraphExecUpdateErrorTopologyChanged);
  EXPECT_EQ(exec.info.errorNode, last);
}

TEST_F(RuntimeApi, AnUpdateTakesOverUserObjects) {
  int gone[2] = {};
  Updates exec;
  const cudaGraph_t other = exec.another();
  const cudaGraph_t owners[] = {exec.graph, other};
  for (int i = 0; i < 2; ++i) {
    cudaUserObject_t object = nullptr;
    const cudaHostFn_t count = [](void* number) { ++*static_cast<int*>(number); };
    ASSERT_EQ(cudaUserObjectCreate(&object, &gone[i], count, 1, cudaUserObjectNoDestructorSync), cudaSuccess);
    EXPECT_EQ(cudaGraphRetainUserObject(owners[i], object, 0x80000000u, 0), cudaErrorInvalidValue);
    ASSERT_EQ(cudaGraphRetainUserObject(owners[i], object, 1, cudaGraphUserObjectMove), cudaSuccess);
    empty_node(owners[i]);
  }
  ASSERT_EQ(exec.launch(), cudaSuccess);
  EXPECT_EQ(exec.update(other), cudaGraphExecUpdateSuccess);
  EXPECT_EQ(gone[0], 0) << "the first graph holds it";
  ASSERT_EQ(cudaGraphDestroy(std::exchange(exec.graph, other)), cudaSuccess);
  EXPECT_EQ(gone[0], 1);
  exec.others.clear();
  ASSERT_EQ(cudaGraphDestroy(std::exchange(exec.graph, nullptr)), cudaSuccess);
  EXPECT_EQ(gone[1], 0);
  ASSERT_EQ(cudaGraphExecDestroy(std::exchange(exec.exec, nullptr)), cudaSuccess);
  EXPECT_EQ(gone[1], 1);
  ASSERT_EQ(cudaGraphCreate(&exec.graph, 0), cudaSuccess);
}

TEST_F(RuntimeApi, AnUpdateChangesTheDefaultOfACondition) {
  const Program program = plain_program();
  unsigned char *d = nullptr, seen = 0;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  Updates exec;
  ASSERT_EQ(cudaGraphDestroy(std::exchange(exec.graph, conditional_graph(1, 10, d))), cudaSuccess);
  const auto run = [&] {
    EXPECT_EQ(cudaMemset(d, 0, 1), cudaSuccess);
    EXPECT_EQ(exec.launch(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(&seen, d, 1, cudaMemcpyDeviceToHost), cudaSuccess);
    return seen;
  };
  EXPECT_EQ(run(), 10);
  EXPECT_EQ(exec.update(exec.others.emplace_back(conditional_graph(0, 20, d))), cudaGraphExecUpdateSuccess);
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(exec.update(exec.others.emplace_back(conditional_graph(1, 30, d))), cudaGraphExecUpdateSuccess);
  EXPECT_EQ(run(), 30);
}

// The form of the picture is lockstep's own. As on the card, it has the names of the kernels.
TEST_F(RuntimeApi, APictureNamesTheKernels) {
  const Program program = plain_program();
  const std::string file = "graph_picture.dot";
  Instantiated graph;
  store_node(graph.graph, 1, nullptr);
  const auto picture = [&](unsigned flags) {
    EXPECT_EQ(cudaGraphDebugDotPrint(graph.graph, file.c_str(), flags), cudaSuccess);
    std::ifstream stream(file);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string plain = picture(0), detailed = picture(cudaGraphDebugDotFlagsVerbose);
  std::filesystem::remove(file);
  EXPECT_NE(plain.find(" store\"]"), std::string::npos) << plain;
  EXPECT_NE(detailed.find("<<<(2,1,1), (3,1,1), 0>>>"), std::string::npos) << detailed;
  EXPECT_EQ(cudaGraphDebugDotPrint(graph.graph, nullptr, 0), cudaErrorInvalidValue);
}

}  // namespace
}  // namespace lockstep::runtime_test
