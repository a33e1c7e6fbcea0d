// harness: times several calls against each other and checks each result. In: calls that put work into a stream. Out: a
// row of CSV for each call and way of launching.
//
// All calls take turns, so that a change of the card's clock meets them all. Before each the L2 cache is flushed: by
// reading 256 MiB ("clean"), or by setting 256 MiB ("dirty"), after which the cache is full of lines that must still be
// written to memory while the call runs. The host is far ahead of the card: the flush hides the launch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#define CHECK(call)                                                                                         \
  do {                                                                                                      \
    const auto error = static_cast<cudaError_t>(call);                                                      \
    if (error == cudaSuccess) break;                                                                        \
    std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(error)), exit(1); \
  } while (0)

namespace top {

struct Call {
  std::string what;
  std::function<void(cudaStream_t)> run;
  std::function<bool()> right;  // looks at the result, and spoils it for the next look
};

struct Task {
  std::string family, type, input;
  size_t n;
  double bytes;  // that the task has to move
};

static __global__ void read_all(const uint4* data, size_t n, unsigned* out) {
  unsigned sum = 0;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
    const uint4 v = __ldcg(data + i);
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345678) *out = sum;
}

class Harness {
 public:
  Harness(const char* path, bool dirty) : dirty_(dirty), csv_(std::fopen(path, "w")) {
    CHECK(cudaStreamCreate(&stream_));
    CHECK(cudaMalloc(&other_, kOther));
    CHECK(cudaMemset(other_, 1, kOther));
    std::fprintf(csv_, "family,type,input,n,what,launch,flush,rounds,ms_min,ms_q1,ms,ms_q3,ms_max,gb_s,right\n");
  }
  ~Harness() { std::fclose(csv_); }

  // Functions without a parameter for a stream: all calls use the default stream, which no graph can capture.
  void time_in_default_stream(const Task& task, const std::vector<Call>& calls, int rounds) {
    const cudaStream_t own = stream_;
    stream_ = nullptr;
    time(task, calls, rounds);
    stream_ = own;
  }

  void time(const Task& task, const std::vector<Call>& calls, int rounds) {
    std::vector<bool> right;
    std::vector<cudaGraphExec_t> graphs;
    for (const Call& call : calls) {
      call.run(stream_);
      CHECK(cudaStreamSynchronize(stream_));
      right.push_back(!call.right || call.right());
      graphs.push_back(stream_ == nullptr ? nullptr : capture(call));
    }
    std::vector<std::vector<float>> ms(2 * calls.size());
    for (int round = 0; round < rounds; ++round) one_round(calls, graphs, ms);
    for (size_t i = 0; i < calls.size(); ++i) {
      call_again(calls[i], right, i);
      write(task, calls[i].what, false, ms[2 * i], right[i]);
      if (graphs[i] == nullptr) continue;
      write(task, calls[i].what, true, ms[2 * i + 1], right[i]);
      CHECK(cudaGraphExecDestroy(graphs[i]));
    }
    std::fflush(csv_);
  }

 private:
  static constexpr size_t kOther = size_t{256} << 20;

  void flush() {
    if (dirty_)
      CHECK(cudaMemsetAsync(other_, 1, kOther, stream_));
    else
      read_all<<<528, 512, 0, stream_>>>(static_cast<uint4*>(other_), kOther / 16, nullptr);
  }
  cudaGraphExec_t capture(const Call& call) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    call.run(stream_);
    CHECK(cudaStreamEndCapture(stream_, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, stream_));
    CHECK(cudaGraphDestroy(graph));
    return exec;
  }
  void one_round(const std::vector<Call>& calls, const std::vector<cudaGraphExec_t>& graphs,
                 std::vector<std::vector<float>>& ms) {
    std::vector<cudaEvent_t> events(4 * calls.size());
    for (cudaEvent_t& event : events) CHECK(cudaEventCreate(&event));
    for (size_t k = 0; k < 2 * calls.size(); ++k) {
      if (k % 2 == 1 && graphs[k / 2] == nullptr) continue;
      flush();
      CHECK(cudaEventRecord(events[2 * k], stream_));
      if (k % 2 == 0)
        calls[k / 2].run(stream_);
      else
        CHECK(cudaGraphLaunch(graphs[k / 2], stream_));
      CHECK(cudaEventRecord(events[2 * k + 1], stream_));
    }
    CHECK(cudaStreamSynchronize(stream_));
    for (size_t k = 0; k < 2 * calls.size(); ++k) {
      if (k % 2 == 1 && graphs[k / 2] == nullptr) continue;
      float time = 0;
      CHECK(cudaEventElapsedTime(&time, events[2 * k], events[2 * k + 1]));
      ms[k].push_back(time);
    }
    for (cudaEvent_t event : events) CHECK(cudaEventDestroy(event));
  }
  // After all rounds the result is looked at once more: a call may have spoilt its own workspace.
  void call_again(const Call& call, std::vector<bool>& right, size_t i) {
    if (!call.right) return;
    call.run(stream_);
    CHECK(cudaStreamSynchronize(stream_));
    right[i] = right[i] && call.right();
  }
  void write(const Task& task, const std::string& what, int graph, std::vector<float>& ms, bool right) {
    std::sort(ms.begin(), ms.end());
    const size_t m = ms.size();
    char row[400];
    std::snprintf(row, sizeof row, "%s,%s,%s,%zu,%s,%s,%s,%zu,%.5f,%.5f,%.5f,%.5f,%.5f,%.0f,%s", task.family.c_str(),
                  task.type.c_str(), task.input.c_str(), task.n, what.c_str(), graph ? "graph" : "stream",
                  dirty_ ? "dirty" : "clean", m, ms[0], ms[m / 4], ms[m / 2], ms[m * 3 / 4], ms[m - 1],
                  task.bytes / ms[m / 2] / 1e6, right ? "yes" : "NO");
    std::fprintf(csv_, "%s\n", row);
    std::printf("%s\n", row);
  }

  bool dirty_;
  FILE* csv_;
  cudaStream_t stream_{};
  void* other_{};
};

}  // namespace top
