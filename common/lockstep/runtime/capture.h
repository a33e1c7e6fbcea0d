// capture: which streams are being captured, and into which graph. In: the program's calls on streams, which are
// numbers here (capturing.h has the handles). Out: for each call, whether it is work for now, a node of a graph, or not
// allowed. Rules: CUDA C++ Programming Guide, "Stream Capture".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/cuda_api.h"
#include "runtime/graph.h"

namespace lockstep::runtime {

// What the next node of a captured stream depends on: nodes, and the data of the edges from them. Each node is there
// once.
struct Dependencies {
  std::vector<cudaGraphNode_t> nodes{};
  std::vector<cudaGraphEdgeData> data{};
  void add(cudaGraphNode_t node, const cudaGraphEdgeData& edge = {});
  void add(const Dependencies& others);
};

// Where an event stands that was recorded in a stream while it was captured.
struct CapturedPlace {
  uint64_t capture = 0;
  Dependencies after;
};

// One sequence of calls, from cudaStreamBeginCapture to cudaStreamEndCapture.
struct Capture {
  uint64_t id = 0;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread{};  // that began it
  uint32_t origin = 0;       // the stream that began it, by number (watch.h)
  Graph* graph = nullptr;
  std::unique_ptr<Graph> own{};  // the same, unless the program gave the graph
  bool invalid = false;          // a call was made that is not allowed
  Dependencies ends{};           // the last nodes of streams that were destroyed meanwhile
};

struct CapturedStream {
  Capture* capture = nullptr;
  bool blocking = true;  // with regard to the legacy stream
  Dependencies last{};
};

struct Captures {
  std::map<uint64_t, std::unique_ptr<Capture>> all;  // by id
  std::map<uint32_t, CapturedStream> streams;        // by number
  uint64_t begun = 0;
  bool any() const { return !all.empty(); }
};

// A stream is its number (watch.h). The place of the stream in a capture; null: its work is done now. An error: the
// call is not allowed, because the capture is invalid or would become so.
cudaError_t find_captured(Captures& captures, uint32_t stream, CapturedStream** found);
// The call is not allowed while its stream is captured. cudaSuccess: the stream is not.
cudaError_t refuse_captured(Captures& captures, uint32_t stream);
// The stream's capture becomes invalid, if it is captured.
void invalidate(Captures& captures, uint32_t stream);
// A call that needs an event that has happened. `place`: of its last record, if that was captured.
// cudaErrorInvalidValue: that capture has ended.
cudaError_t look_at_captured(const Captures& captures, const std::optional<CapturedPlace>& place);
// The same for a call that makes the capture invalid.
cudaError_t refuse_captured(Captures& captures, const std::optional<CapturedPlace>& place);
// CUDA calls a function *unsafe* if a graph cannot hold what it does, such as cudaMalloc: the graph's work may depend
// on it, and would not do it again. This is the table of such functions, by name. Waits and questions about streams and
// events are unsafe as well; they are not in it, because a captured stream or event has an answer of its own first.
bool is_unsafe(std::string_view function);
// An unsafe call. The modes of the captures and of the thread say whether it is allowed; if not, all captures concerned
// become invalid.
cudaError_t refuse_unsafe(Captures& captures);
// A call that asks about the whole device, such as cudaDeviceSynchronize.
cudaError_t refuse_whole_device(Captures& captures);
// The present thread's mode becomes `mode`; returns the one before.
cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode);

// For one of the errors above, which this function returned: its cause and the next step, for a person. "": it is
// another error.
std::string capture_advice(cudaError_t error, std::string_view function);

// Adds a node behind the stream's work. A kernel with cudaLaunchAttributeProgrammaticStreamSerialization may start
// before the kernels that it follows have ended.
cudaError_t append(CapturedStream& stream, NodeWork work, CallStack stack);

// `into`: the program's graph, or null; `place`: of the stream, without its capture.
cudaError_t begin_capture(Captures& captures, uint32_t stream, cudaStreamCaptureMode mode, Graph* into,
                          CapturedStream place);
// *ended: the capture, unless it ends with an error. Its streams are captured no more. A call in the wrong stream
// leaves it invalid.
cudaError_t end_capture(Captures& captures, uint32_t stream, std::unique_ptr<Capture>* ended);
// The stream goes: its last nodes must still be joined.
void leave_capture(Captures& captures, uint32_t stream);

// cudaStreamWaitEvent, for an event whose last record was captured in `place`, if it was: the stream joins that
// capture. No value: neither is captured.
std::optional<cudaError_t> capture_wait(Captures& captures, uint32_t stream, bool is_blocking,
                                        const std::optional<CapturedPlace>& place);

}  // namespace lockstep::runtime
