// capturing: the calls of streams, as capture.h sees them: which become nodes, which are not allowed.
#pragma once

#include "base/words.h"
#include "runtime/watch.h"

namespace lockstep::runtime {

// Every call that gives work to a stream asks this first. No value: the stream is not captured, so the work is done
// now. make(NodeWork*) gives the work of the node that the call becomes, or an error.
template <typename Make>
std::optional<cudaError_t> captured(Runtime& runtime, cudaStream_t stream, Make&& make,
                                    CallStack (*place)() = call_stack) {
  if (!runtime.captures.any()) return std::nullopt;
  CapturedStream* found = nullptr;
  if (const cudaError_t error = find_captured(runtime.captures, stream_number(runtime, stream), &found);
      error != cudaSuccess)
    return error;
  if (!found) return std::nullopt;
  NodeWork work;
  if (const cudaError_t error = make(&work); error != cudaSuccess) return error;
  return append(*found, std::move(work), place());
}

// The same for a call that has nothing to do: no node.
inline std::optional<cudaError_t> captured_nothing(Runtime& runtime, cudaStream_t stream) {
  CapturedStream* found = nullptr;
  const cudaError_t error = find_captured(runtime.captures, stream_number(runtime, stream), &found);
  return found || error != cudaSuccess ? std::optional(error) : std::nullopt;
}

// The call is not allowed while its stream is captured.
inline cudaError_t refuse_captured(Runtime& runtime, cudaStream_t stream) {
  return runtime.captures.any() ? refuse_captured(runtime.captures, stream_number(runtime, stream)) : cudaSuccess;
}

// The next step, if the error says that the event was recorded in a capture that has ended.
inline cudaError_t advise_on_event(Runtime& runtime, cudaError_t error) {
  if (error == cudaErrorInvalidValue)
    runtime.advice =
        with_next(words("the event was last recorded while its stream was captured, and that capture has ended."),
                  words("record it again outside of the capture, or record it with cudaEventRecordExternal."));
  return error;
}
// A call that waits for the event or asks about it.
inline cudaError_t refuse_captured(Runtime& runtime, const Event& event) {
  return advise_on_event(runtime, refuse_captured(runtime.captures, event.captured));
}

inline cudaError_t look_at_captured(Runtime& runtime, const Event& event) {
  return advise_on_event(runtime, look_at_captured(runtime.captures, event.captured));
}

inline bool is_blocking(const Runtime& runtime, cudaStream_t stream) {
  const Stream* created = runtime.streams.all.find(stream);
  return !created || created->flags != cudaStreamNonBlocking;
}

// cudaEventRecord and cudaStreamWaitEvent. No value: nothing here is captured. An *external* event is one of the world
// outside of the graph, so a node records it, or waits for it.
inline std::optional<cudaError_t> capture_record(Runtime& runtime, Event& event, cudaStream_t stream, unsigned flags) {
  auto* const handle = reinterpret_cast<cudaEvent_t>(&event);
  if (flags & cudaEventRecordExternal)
    return captured(runtime, stream, [&](NodeWork* work) { return *work = RecordWork{handle}, cudaSuccess; });
  if (!runtime.captures.any()) return std::nullopt;
  CapturedStream* found = nullptr;
  const cudaError_t error = find_captured(runtime.captures, stream_number(runtime, stream), &found);
  if (error != cudaSuccess) return error;
  if (!found) return std::nullopt;
  event.captured = {found->capture->id, found->last};
  return cudaSuccess;
}
inline std::optional<cudaError_t> capture_wait(Runtime& runtime, cudaStream_t stream, Event& event, unsigned flags) {
  auto* const handle = reinterpret_cast<cudaEvent_t>(&event);
  if (flags & cudaEventWaitExternal)
    return captured(runtime, stream, [&](NodeWork* work) { return *work = WaitWork{handle}, cudaSuccess; });
  if (!event.captured && event.number == 0) {  // nothing to wait for, so nothing to capture
    CapturedStream* found = nullptr;
    const cudaError_t error = find_captured(runtime.captures, stream_number(runtime, stream), &found);
    return error == cudaSuccess ? std::nullopt : std::optional(error);
  }
  const auto error =
      capture_wait(runtime.captures, stream_number(runtime, stream), is_blocking(runtime, stream), event.captured);
  if (error) advise_on_event(runtime, *error);
  return error;
}

}  // namespace lockstep::runtime
