// graphs: what the tests of graphs share: nodes, and a graph with what is instantiated from it.
#pragma once

#include <vector>

#include "tests/runtime/program.h"

namespace lockstep::runtime_test {

inline cudaGraphNode_t store_node(cudaGraph_t graph, unsigned char value, void* to) {
  void* arguments[] = {&value, &to};
  const cudaKernelNodeParams params{&store_stub, dim3(2), dim3(3), 0, arguments, nullptr};
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params), cudaSuccess);
  return node;
}

struct Instantiated {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  Instantiated() { EXPECT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess); }
  Instantiated(const Instantiated&) = delete;
  Instantiated& operator=(const Instantiated&) = delete;
  ~Instantiated() {
    if (exec) { EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess); }
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  cudaError_t launch() {
    if (!exec) { EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess); }
    return cudaGraphLaunch(exec, nullptr);
  }
};

inline cudaGraphNode_t empty_node(cudaGraph_t graph, std::vector<cudaGraphNode_t> before = {}) {
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddEmptyNode(&node, graph, before.data(), before.size()), cudaSuccess);
  return node;
}

inline size_t count_of_nodes(cudaGraph_t graph) {
  size_t count = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
  return count;
}

}  // namespace lockstep::runtime_test
