// graph_test: graphs and stream capture where programs cannot look: the report, planned failures, faults, handles that
// are wrong; and the order and the copies of graphs. What nodes compute is tested by programs/graph_*.cu.
#include "runtime/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/runtime/graphs.h"

namespace lockstep::runtime_test {
namespace {

using runtime::EmptyWork;
using runtime::Graph;
using runtime::GraphNode;

GraphNode& empty(Graph& graph) { return graph.add(EmptyWork{}, {}); }

TEST(Graph, ANodeComesBehindAllThatItNeeds) {
  Graph graph;
  GraphNode &a = empty(graph), &b = empty(graph), &c = empty(graph), &d = empty(graph);
  EXPECT_TRUE(graph.connect(d, a));
  EXPECT_TRUE(graph.connect(c, a));
  EXPECT_TRUE(graph.connect(b, c));
  EXPECT_FALSE(graph.connect(b, c)) << "there is such an edge";
  EXPECT_FALSE(graph.connect(b, b));
  EXPECT_EQ(graph.order(), (std::vector<GraphNode*>{&b, &c, &d, &a}));
  EXPECT_TRUE(leads_to(b, {handle_of(&a)}));
  EXPECT_FALSE(leads_to(d, {handle_of(&c)}));
  EXPECT_TRUE(graph.connect(a, b));
  EXPECT_TRUE(graph.order().empty()) << "a circle";
  EXPECT_TRUE(graph.disconnect(a, b));
  graph.remove(c);
  EXPECT_EQ(graph.order(), (std::vector<GraphNode*>{&b, &d, &a}));
}

TEST(Graph, ACopyHasItsOwnNodes) {
  Graph graph;
  GraphNode &a = empty(graph), &b = empty(graph);
  graph.connect(a, b);
  const auto copy = graph.clone();
  ASSERT_EQ(copy->nodes.size(), 2u);
  GraphNode* const found = copied_from(*copy, b);
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found, &b);
  EXPECT_EQ(found->needs.at(0).from, copied_from(*copy, a));
  const auto copy_of_copy = copy->clone();
  EXPECT_EQ(copied_from(*copy_of_copy, b), nullptr);
}

// The answers of an H200 to every kind of edge between two kernels.
TEST(Graph, OnlySomeKindsOfEdgesExist) {
  constexpr auto kKernel = cudaGraphNodeTypeKernel, kEmpty = cudaGraphNodeTypeEmpty;
  std::vector<std::string> valid;
  for (unsigned char from = 0; from < 4; ++from)
    for (unsigned char to = 0; to < 2; ++to)
      for (unsigned char type = 0; type < 3; ++type)
        if (runtime::is_valid({from, to, type, {}}, kKernel, kKernel))
          valid.push_back(std::to_string(from) + std::to_string(to) + std::to_string(type));
  EXPECT_EQ(valid, (std::vector<std::string>{"000", "101", "200", "201"}));
  EXPECT_FALSE(runtime::is_valid({1, 0, 1, {}}, kEmpty, kKernel));
  EXPECT_FALSE(runtime::is_valid({1, 0, 1, {}}, kKernel, kEmpty));
  EXPECT_FALSE(runtime::is_valid({0, 0, 0, {1}}, kKernel, kKernel));
  EXPECT_TRUE(runtime::is_valid({}, kEmpty, kEmpty));
}

TEST(Graph, ANodeThatIsGoneIsFoundNoMore) {
  cudaGraphNode_t handle = nullptr;
  cudaGraph_t graph_handle = nullptr;
  {
    Graph graph;
    handle = handle_of(&empty(graph));
    graph_handle = handle_of(&graph);
    EXPECT_NE(runtime::find(handle), nullptr);
    EXPECT_NE(runtime::find(graph_handle), nullptr);
  }
  EXPECT_EQ(runtime::find(handle), nullptr);
  EXPECT_EQ(runtime::find(graph_handle), nullptr);
}

TEST_F(RuntimeApi, ALaunchFromAGraphIsReportedAsOneFromAStream) {
  const std::filesystem::path file = "graph_launches.json";  // in the build; the end of the test writes it again
  set("LOCKSTEP_REPORT", file);
  const Program program = plain_program();
  unsigned char value = 4;
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 1), cudaSuccess);
  void* arguments[] = {&value, &d};
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(cudaLaunchKernel(&store_stub, dim3(2), dim3(3), arguments, 0, nullptr), cudaSuccess);
  {
    Instantiated graph;
    store_node(graph.graph, 4, d);
    ASSERT_EQ(graph.launch(), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    ASSERT_EQ(graph.launch(), cudaSuccess);
  }
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);  // writes the report
  const auto launches = nlohmann::json::parse(std::ifstream(file)).at("launches");
  std::filesystem::remove(file);
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_GT(launches[1]["counters"]["smsp__inst_executed.sum"], 0);
  EXPECT_EQ(launches[2], launches[1]);
  EXPECT_EQ(launches[3]["counters"]["host_synchronisations"], 1);
}

TEST_F(RuntimeApi, CallsAboutGraphsFailAsPlanned) {
  set("LOCKSTEP_FAIL", "4");
  const Program program = plain_program();
  void* d = nullptr;
  ASSERT_EQ(cudaMalloc(&d, 1), cudaSuccess);
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph, nullptr, 0), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaErrorUnknown);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("call 4, cudaGraphInstantiate,"), std::string::npos);
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
}

TEST_F(RuntimeApi, BehindAFaultNoNodeRuns) {
  const Program program = plain_program();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNode_t call = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  const cudaGraphNode_t bad = store_node(graph, 1, reinterpret_cast<void*>(8));
  bool called = false;
  const cudaHostNodeParams params{[](void* data) { *static_cast<bool*>(data) = true; }, &called};
  ASSERT_EQ(cudaGraphAddHostNode(&call, graph, &bad, 1, &params), cudaSuccess);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGraphLaunch(exec, nullptr), cudaErrorIllegalAddress);
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(called);
}

// A host node is called without the runtime's lock: it may wait for a thread that calls the runtime.
TEST_F(RuntimeApi, AHostNodeMayWaitForAnotherThread) {
  Instantiated graph;
  const cudaHostNodeParams params{
      [](void*) { std::thread([] { cudaGetLastError(), cudaDeviceSynchronize(); }).join(); }, nullptr};
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphAddHostNode(&node, graph.graph, nullptr, 0, &params), cudaSuccess);
  EXPECT_EQ(graph.launch(), cudaSuccess);
}

TEST_F(RuntimeApi, GraphHandlesMadeOfNothingAreRefused) {
  auto* const graph = reinterpret_cast<cudaGraph_t>(0x1234);
  auto* const node = reinterpret_cast<cudaGraphNode_t>(0x1234);
  auto* const exec = reinterpret_cast<cudaGraphExec_t>(0x1234);
  cudaGraphExec_t made = nullptr;
  EXPECT_EQ(cudaGraphInstantiate(&made, graph, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroyNode(node), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphLaunch(exec, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
  EXPECT_EQ(cudaUserObjectRelease(reinterpret_cast<cudaUserObject_t>(0x1234), 1), cudaErrorInvalidValue);
  cudaGraph_t real = nullptr;
  cudaGraphNode_t added = nullptr;
  ASSERT_EQ(cudaGraphCreate(&real, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphAddEmptyNode(&added, real, &node, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(real), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(real), cudaErrorInvalidValue);
}

TEST_F(RuntimeApi, AResetEndsGraphsAndCaptures) {
  const Program program = plain_program();
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr, captured = nullptr;
  cudaGraphNode_t node = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = 100;
  ASSERT_EQ(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &memory), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(stream, &captured), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaErrorInvalidValue);
  void* d = nullptr;
  EXPECT_EQ(cudaMalloc(&d, 4), cudaSuccess);
}

TEST_F(RuntimeApi, WhatGraphsCannotDoHereIsRefusedByName) {
  Instantiated graph;
  cudaGraphExec_t exec = nullptr;
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeExtSemaphoreWait;
  cudaGraphNode_t node = nullptr;
  const Program program = plain_program();
  const cudaGraphNode_t kernel = store_node(graph.graph, 1, nullptr);
  cudaLaunchAttributeValue updatable{};
  updatable.deviceUpdatableKernelNode.deviceUpdatable = 1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph.graph, cudaGraphInstantiateFlagDeviceLaunch), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphAddNode(&node, graph.graph, nullptr, nullptr, 0, &params), cudaErrorNotSupported);
  EXPECT_EQ(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributeDeviceUpdatableKernelNode, &updatable),
            cudaErrorNotSupported);
  const std::string messages = testing::internal::GetCapturedStderr();
  EXPECT_NE(messages.find("updates of a graph's nodes by kernels"), std::string::npos) << messages;
  EXPECT_NE(messages.find("cudaGraphInstantiateFlagDeviceLaunch"), std::string::npos) << messages;
  EXPECT_NE(messages.find("external semaphores"), std::string::npos) << messages;
}

TEST_F(RuntimeApi, WhatACaptureDoesNotAllowIsExplained) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  void* d = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaMalloc(&d, 4), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
  const std::string messages = testing::internal::GetCapturedStderr();
  EXPECT_NE(messages.find("cudaErrorStreamCaptureUnsupported: it is not allowed while a stream is captured"),
            std::string::npos)
      << messages;
  EXPECT_NE(messages.find("cudaMallocAsync"), std::string::npos) << messages;
  EXPECT_NE(messages.find("cudaErrorStreamCaptureInvalidated: an earlier call"), std::string::npos) << messages;
  EXPECT_EQ(cudaMalloc(&d, 4), cudaSuccess);
}

// The answer to a call of the table of unsafe calls, by a thread of this mode; cudaStreamGetId stands for all of them.
cudaError_t unsafe_call(cudaStream_t stream, cudaStreamCaptureMode mode) {
  unsigned long long id = 0;
  cudaThreadExchangeStreamCaptureMode(&mode);
  const cudaError_t error = cudaStreamGetId(stream, &id);
  cudaThreadExchangeStreamCaptureMode(&mode);
  return error;
}

// The same while a stream is captured. The call is about another stream; if it fails, the capture must be invalid.
cudaError_t unsafe_call_during(cudaStreamCaptureMode capture, cudaStreamCaptureMode mode, bool same_thread) {
  cudaStream_t stream = nullptr, other = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaStreamBeginCapture(stream, capture), cudaSuccess);
  cudaError_t error = cudaErrorUnknown;
  const auto ask = [&] { error = unsafe_call(other, mode); };
  if (same_thread)
    ask();
  else
    std::thread(ask).join();
  cudaGraph_t graph = nullptr;
  const cudaError_t end = error == cudaSuccess ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), end);
  return error;
}

// The rule is that of cudaThreadExchangeStreamCaptureMode in CUDA's reference.
TEST_F(RuntimeApi, TheModesOfCaptureAndThreadSayWhetherAnUnsafeCallIsAllowed) {
  constexpr auto kGlobal = cudaStreamCaptureModeGlobal, kLocal = cudaStreamCaptureModeThreadLocal,
                 kRelaxed = cudaStreamCaptureModeRelaxed;
  constexpr auto kNo = cudaErrorStreamCaptureUnsupported, kYes = cudaSuccess;
  testing::internal::CaptureStderr();
  EXPECT_EQ(unsafe_call_during(kGlobal, kGlobal, true), kNo);
  EXPECT_EQ(unsafe_call_during(kGlobal, kLocal, true), kNo);
  EXPECT_EQ(unsafe_call_during(kGlobal, kRelaxed, true), kYes);
  EXPECT_EQ(unsafe_call_during(kLocal, kGlobal, true), kNo);
  EXPECT_EQ(unsafe_call_during(kLocal, kLocal, true), kNo);
  EXPECT_EQ(unsafe_call_during(kLocal, kRelaxed, true), kYes);
  EXPECT_EQ(unsafe_call_during(kRelaxed, kGlobal, true), kYes);
  EXPECT_EQ(unsafe_call_during(kRelaxed, kLocal, true), kYes);
  EXPECT_EQ(unsafe_call_during(kGlobal, kGlobal, false), kNo);
  EXPECT_EQ(unsafe_call_during(kGlobal, kLocal, false), kYes);
  EXPECT_EQ(unsafe_call_during(kGlobal, kRelaxed, false), kYes);
  EXPECT_EQ(unsafe_call_during(kLocal, kGlobal, false), kYes);
  EXPECT_EQ(unsafe_call_during(kRelaxed, kGlobal, false), kYes);
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("cudaStreamGetId failed with cudaErrorStreamCaptureUnsupported"),
      std::string::npos);
}

TEST_F(RuntimeApi, AGraphThatFreesMemoryOfNoGraphIsExplained) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  void *from_pool = nullptr, *from_graph = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&from_pool, 4, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&from_graph, 4, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(from_graph, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(from_pool, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("frees memory that no graph allocates"), std::string::npos);
  EXPECT_EQ(exec, nullptr);
  EXPECT_EQ(cudaFreeAsync(from_pool, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(RuntimeApi, ACaptureMakesNodesAndDoesNoWork) {
  const Program program = plain_program();
  unsigned char *d = nullptr, value = 9, seen = 0;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  size_t count = 0;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  ASSERT_EQ(cudaMemset(d, 1, 1), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  void* arguments[] = {&value, &d};
  EXPECT_EQ(cudaLaunchKernel(&store_stub, dim3(1), dim3(1), arguments, 0, stream), cudaSuccess);
  value = 10;  // the node has its own copy
  EXPECT_EQ(cudaMemcpyAsync(&seen, d, 1, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(seen, 0);
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 2u);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(seen, 9);
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
}

// Both answers were seen on an H200: a launch cannot be captured, and a child's update must have its nodes at the same
// positions.
TEST_F(RuntimeApi, ACapturedStreamTakesNoLaunchOfAGraph) {
  Instantiated graph;
  cudaStream_t stream = nullptr;
  cudaGraph_t captured = nullptr;
  ASSERT_EQ(graph.launch(), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphLaunch(graph.exec, stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("cudaGraphAddChildGraphNode"), std::string::npos);
  EXPECT_EQ(cudaStreamEndCapture(stream, &captured), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(cudaGraphLaunch(graph.exec, stream), cudaSuccess);
}

TEST_F(RuntimeApi, AChildIsUpdatedFromNodesThatWereAddedInTheSameOrder) {
  Instantiated outer, inner, other;
  cudaGraphNode_t child = nullptr, first = nullptr, second = nullptr;
  ASSERT_EQ(cudaGraphAddEmptyNode(&first, inner.graph, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&child, outer.graph, nullptr, 0, inner.graph), cudaSuccess);
  ASSERT_EQ(outer.launch(), cudaSuccess);
  EXPECT_EQ(cudaGraphExecChildGraphNodeSetParams(outer.exec, child, inner.graph), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroyNode(first), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&second, inner.graph, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphExecChildGraphNodeSetParams(outer.exec, child, inner.graph), cudaErrorGraphExecUpdateFailure);
  ASSERT_EQ(cudaGraphAddEmptyNode(&second, other.graph, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphExecChildGraphNodeSetParams(outer.exec, child, other.graph), cudaSuccess);
}

TEST_F(RuntimeApi, AGraphIsNoNodeOfItself) {
  Instantiated graph;
  cudaGraphNode_t node = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaGraphAddChildGraphNode(&node, graph.graph, nullptr, 0, graph.graph), cudaErrorInvalidValue);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("a node of itself"), std::string::npos);
}

TEST_F(RuntimeApi, AnEventOfACaptureThatHasEndedIsExplained) {
  cudaStream_t stream = nullptr;
  cudaEvent_t event = nullptr;
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorInvalidValue);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("that capture has ended"), std::string::npos);
  EXPECT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace lockstep::runtime_test
