// graph_answers_test: what calls about graphs and captures return. The answers are
// those of an H200 (driver 580.159), unless a test says that they are lockstep's own. runtime_graphs.cu has more, which
// a card can be asked again.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/runtime/graphs.h"

namespace lockstep::runtime_test {
namespace {

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
