// graph_answers_test: what calls about graphs and captures return. The answers are
// those of an H200 (driver 580.159), unless a test says that they are lockstep's own. runtime_graphs.cu has more, which
// a card can be asked again.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/graphs.h"

namespace lockstep::runtime_test {
namespace {

constexpr cudaGraphEdgeData kEarly{cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic, {}};

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

}  // namespace
}  // namespace lockstep::runtime_test
