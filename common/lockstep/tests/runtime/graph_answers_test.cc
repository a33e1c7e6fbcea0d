// graph_answers_test: what calls about graphs and captures return. The answers are
// those of an H200 (driver 580.159), unless a test says that they are lockstep's own. runtime_graphs.cu has more, which
// a card can be asked again.
#include <gtest/gtest.h>

#include <algorithm>
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
  for (const int id : {0, 6, 31}) {
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

}  // namespace
}  // namespace lockstep::runtime_test
