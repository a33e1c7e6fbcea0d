// graphs: what the programs about CUDA graphs need beside streams.h: graphs that are launched and destroyed, and nodes
// for its two kernels.
#pragma once

#include "streams.h"

class Graph {
 public:
  Graph() { cudaGraphCreate(&graph_, 0); }
  // What `work` gives to the stream.
  template <class Work>
  Graph(cudaStream_t stream, Work&& work) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    work();
    cudaStreamEndCapture(stream, &graph_);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (exec_) cudaGraphExecDestroy(exec_);
    cudaGraphDestroy(graph_);
  }
  operator cudaGraph_t() const { return graph_; }
  void launch(cudaStream_t stream) {
    if (!exec_) cudaGraphInstantiate(&exec_, graph_, 0);
    cudaGraphLaunch(exec_, stream);
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t exec_ = nullptr;
};

// The parameters of the nodes count_up(out, n, first) and add_one(in, out, n), with n threads.
struct CountUp {
  int* out;
  int n, first;
  void* arguments[3] = {&out, &n, &first};
  cudaKernelNodeParams params{(void*)count_up, dim3(1), dim3(n), 0, arguments, nullptr};
};
struct AddOne {
  const int* in;
  int *out, n;
  void* arguments[3] = {&in, &out, &n};
  cudaKernelNodeParams params{(void*)add_one, dim3(1), dim3(n), 0, arguments, nullptr};
};

inline cudaMemAllocNodeParams allocation(size_t bytes) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = bytes;
  return params;
}
