#include "runtime/capture.h"

#include <algorithm>
#include <utility>

#include "runtime/watch.h"

namespace lockstep::runtime {
namespace {

thread_local cudaStreamCaptureMode t_mode = cudaStreamCaptureModeGlobal;

// Two sets of dependencies become one, in the order of their first mention.
void join(std::vector<cudaGraphNode_t>& into, const std::vector<cudaGraphNode_t>& from) {
  for (const cudaGraphNode_t node : from)
    if (!std::ranges::count(into, node)) into.push_back(node);
}

bool is_blocking(const Runtime& runtime, cudaStream_t stream) {
  const Stream* created = runtime.streams.all.find(stream);
  return !created || created->flags != cudaStreamNonBlocking;
}

// The legacy stream waits for all blocking streams. So its work would wait for work that is captured and never runs.
cudaError_t refuse_legacy(Captures& captures) {
  bool any = false;
  for (auto& [number, stream] : captures.streams)
    if (stream.blocking) any = stream.capture->invalid = true;
  return any ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

// Every stream of the capture that has nodes of its own must have been joined to the stream that began it.
bool all_joined(const Captures& captures, const Capture& capture) {
  const std::vector<cudaGraphNode_t>& ends = captures.streams.at(capture.origin).last;
  const auto joined = [&](cudaGraphNode_t handle) {
    const GraphNode* node = find(handle);
    return !node || leads_to(*node, ends);
  };
  if (!std::ranges::all_of(capture.ends, joined)) return false;
  return std::ranges::all_of(captures.streams, [&](const auto& entry) {
    return entry.second.capture != &capture || std::ranges::all_of(entry.second.last, joined);
  });
}

}  // namespace

cudaError_t find_captured(Runtime& runtime, cudaStream_t stream, CapturedStream** found) {
  *found = nullptr;
  Captures& captures = runtime.captures;
  const uint32_t number = stream_number(runtime, stream);
  if (number == kLegacyStream) return refuse_legacy(captures);
  const auto entry = captures.streams.find(number);
  if (entry == captures.streams.end()) return cudaSuccess;
  if (entry->second.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  *found = &entry->second;
  return cudaSuccess;
}

cudaError_t refuse_captured(Runtime& runtime, cudaStream_t stream) {
  if (!runtime.captures.any()) return cudaSuccess;
  CapturedStream* found = nullptr;
  if (const cudaError_t error = find_captured(runtime, stream, &found); error != cudaSuccess) return error;
  if (!found) return cudaSuccess;
  found->capture->invalid = true;
  return cudaErrorStreamCaptureUnsupported;
}

cudaError_t append(CapturedStream& stream, NodeWork work, CallStack stack) {
  GraphNode& node = stream.capture->graph->add(std::move(work), std::move(stack));
  for (const cudaGraphNode_t before : stream.last)
    if (GraphNode* from = find(before)) node.graph.connect(*from, node);
  stream.last = {handle_of(&node)};
  return cudaSuccess;
}

cudaError_t refuse_unsafe(Runtime& runtime) {
  if (!runtime.captures.any() || t_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  bool any = false;
  for (auto& [id, capture] : runtime.captures.all) {
    const bool own = capture->thread == std::this_thread::get_id() && capture->mode != cudaStreamCaptureModeRelaxed;
    if (own || (t_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal))
      any = capture->invalid = true;
  }
  return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refuse_whole_device(Runtime& runtime) {
  for (auto& [id, capture] : runtime.captures.all) capture->invalid = true;
  return runtime.captures.any() ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refuse_captured(Runtime& runtime, const Event& event) {
  if (!event.captured) return cudaSuccess;
  const auto found = runtime.captures.all.find(event.captured->capture);
  if (found != runtime.captures.all.end()) found->second->invalid = true;
  return cudaErrorCapturedEvent;
}

cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode) { return std::exchange(t_mode, mode); }

cudaError_t begin_capture(Runtime& runtime, cudaStream_t stream, cudaStreamCaptureMode mode, Graph* into,
                          std::vector<cudaGraphNode_t> after) {
  Captures& captures = runtime.captures;
  const uint32_t number = stream_number(runtime, stream);
  if (mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (number == kLegacyStream) return cudaErrorStreamCaptureUnsupported;
  if (captures.streams.contains(number)) return cudaErrorIllegalState;
  auto capture = std::make_unique<Capture>(Capture{
      .id = ++captures.begun, .mode = mode, .thread = std::this_thread::get_id(), .origin = number, .graph = into});
  if (!into) {
    capture->own = std::make_unique<Graph>();
    capture->graph = capture->own.get();
  }
  captures.streams[number] = {capture.get(), is_blocking(runtime, stream), std::move(after)};
  captures.all[capture->id] = std::move(capture);
  return cudaSuccess;
}

cudaError_t end_capture(Runtime& runtime, cudaStream_t stream, cudaGraph_t* graph) {
  if (graph) *graph = nullptr;
  Captures& captures = runtime.captures;
  const auto entry = captures.streams.find(stream_number(runtime, stream));
  if (entry == captures.streams.end()) return cudaErrorIllegalState;
  Capture& capture = *entry->second.capture;
  if (capture.origin != entry->first) return cudaErrorStreamCaptureUnmatched;
  if (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread != std::this_thread::get_id())
    return cudaErrorStreamCaptureWrongThread;
  cudaError_t error = capture.invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  if (error == cudaSuccess && !all_joined(captures, capture)) error = cudaErrorStreamCaptureUnjoined;
  if (error == cudaSuccess && graph) *graph = handle_of(capture.graph);
  if (error == cudaSuccess && graph && capture.own) runtime.graphs.graphs[capture.graph] = std::move(capture.own);
  std::erase_if(captures.streams, [&](const auto& other) { return other.second.capture == &capture; });
  captures.all.erase(capture.id);
  return error;
}

void leave_capture(Runtime& runtime, cudaStream_t stream) {
  Captures& captures = runtime.captures;
  const auto entry = captures.streams.find(stream_number(runtime, stream));
  if (entry == captures.streams.end()) return;
  Capture& capture = *entry->second.capture;
  if (capture.origin != entry->first) {
    join(capture.ends, entry->second.last);
    captures.streams.erase(entry);
    return;
  }
  std::erase_if(captures.streams, [&](const auto& other) { return other.second.capture == &capture; });
  captures.all.erase(capture.id);
}

std::optional<cudaError_t> capture_record(Runtime& runtime, Event& event, cudaStream_t stream, unsigned flags) {
  if (!runtime.captures.any()) return std::nullopt;
  CapturedStream* found = nullptr;
  if (const cudaError_t error = find_captured(runtime, stream, &found); error != cudaSuccess) return error;
  if (!found) return std::nullopt;
  if (flags & cudaEventRecordExternal)
    return append(*found, RecordWork{reinterpret_cast<cudaEvent_t>(&event)}, call_stack());
  event.captured = {found->capture->id, found->last};
  return cudaSuccess;
}

std::optional<cudaError_t> capture_wait(Runtime& runtime, cudaStream_t stream, Event& event, unsigned flags) {
  if (!runtime.captures.any() && !event.captured) return std::nullopt;
  CapturedStream* found = nullptr;
  if (const cudaError_t error = find_captured(runtime, stream, &found); error != cudaSuccess) return error;
  if (found && (flags & cudaEventWaitExternal))
    return append(*found, WaitWork{reinterpret_cast<cudaEvent_t>(&event)}, call_stack());
  if (!found && !event.captured) return std::nullopt;
  if (!event.captured) {  // it stands for work outside of the graph
    found->capture->invalid = true;
    return cudaErrorStreamCaptureIsolation;
  }
  const auto capture = runtime.captures.all.find(event.captured->capture);
  if (capture == runtime.captures.all.end()) {
    if (found) found->capture->invalid = true;
    return cudaErrorCapturedEvent;
  }
  if (capture->second->invalid) return cudaErrorStreamCaptureInvalidated;
  if (found && found->capture != capture->second.get()) {
    found->capture->invalid = capture->second->invalid = true;
    return cudaErrorStreamCaptureMerge;
  }
  const uint32_t number = stream_number(runtime, stream);
  if (number == kLegacyStream) {
    capture->second->invalid = true;
    return cudaErrorStreamCaptureImplicit;
  }
  if (found)
    join(found->last, event.captured->nodes);
  else
    runtime.captures.streams[number] = {capture->second.get(), is_blocking(runtime, stream), event.captured->nodes};
  return cudaSuccess;
}

}  // namespace lockstep::runtime
