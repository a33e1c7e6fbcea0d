#include "runtime/capture.h"

#include <algorithm>
#include <utility>

#include "base/words.h"

namespace lockstep::runtime {
namespace {

thread_local cudaStreamCaptureMode t_mode = cudaStreamCaptureModeGlobal;

constexpr cudaGraphEdgeData kEarlyStart = {
    cudaGraphKernelNodePortProgrammatic, 0, cudaGraphDependencyTypeProgrammatic, {}};

// The program may have destroyed the graph that it gave.
bool is_invalid(const Capture& capture) { return capture.invalid || !find(handle_of(capture.graph)); }

// The legacy stream waits for all blocking streams. So its work would wait for work that is captured and never runs.
cudaError_t refuse_legacy(Captures& captures) {
  bool any = false;
  for (auto& [number, stream] : captures.streams)
    if (stream.blocking) any = stream.capture->invalid = true;
  return any ? cudaErrorStreamCaptureImplicit : cudaSuccess;
}

// Every stream of the capture that has nodes of its own must have been joined to the stream that began it.
bool all_joined(const Captures& captures, const Capture& capture) {
  const std::vector<cudaGraphNode_t>& ends = captures.streams.at(capture.origin).last.nodes;
  const auto joined = [&](cudaGraphNode_t handle) {
    const GraphNode* node = find(handle);
    return !node || leads_to(*node, ends);
  };
  if (!std::ranges::all_of(capture.ends.nodes, joined)) return false;
  return std::ranges::all_of(captures.streams, [&](const auto& entry) {
    return entry.second.capture != &capture || std::ranges::all_of(entry.second.last.nodes, joined);
  });
}

}  // namespace

void Dependencies::add(cudaGraphNode_t node, const cudaGraphEdgeData& edge) {
  if (std::ranges::count(nodes, node)) return;
  nodes.push_back(node);
  data.push_back(edge);
}

void Dependencies::add(const Dependencies& others) {
  for (size_t i = 0; i < others.nodes.size(); ++i) add(others.nodes[i], others.data[i]);
}

cudaError_t find_captured(Captures& captures, uint32_t stream, CapturedStream** found) {
  *found = nullptr;
  if (stream == kLegacyStream) return refuse_legacy(captures);
  const auto entry = captures.streams.find(stream);
  if (entry == captures.streams.end()) return cudaSuccess;
  if (is_invalid(*entry->second.capture)) return cudaErrorStreamCaptureInvalidated;
  *found = &entry->second;
  return cudaSuccess;
}

cudaError_t refuse_captured(Captures& captures, uint32_t stream) {
  if (stream == kLegacyStream) return refuse_legacy(captures);
  if (!captures.streams.contains(stream)) return cudaSuccess;
  invalidate(captures, stream);
  return cudaErrorStreamCaptureUnsupported;
}

void invalidate(Captures& captures, uint32_t stream) {
  const auto entry = captures.streams.find(stream);
  if (entry != captures.streams.end()) entry->second.capture->invalid = true;
}

cudaError_t look_at_captured(const Captures& captures, const std::optional<CapturedPlace>& place) {
  if (!place) return cudaSuccess;
  return captures.all.contains(place->capture) ? cudaErrorCapturedEvent : cudaErrorInvalidValue;
}

cudaError_t refuse_captured(Captures& captures, const std::optional<CapturedPlace>& place) {
  const cudaError_t error = look_at_captured(captures, place);
  if (error == cudaErrorCapturedEvent) captures.all.at(place->capture)->invalid = true;
  return error;
}

// Seen on an H200, for a function that it names or for another one of the same driver call. cudaStreamGetDevice is from
// a comment in NVIDIA's CCCL (cudax, is_stream_capturing).
bool is_unsafe(std::string_view function) {
  static constexpr std::string_view kUnsafe[] = {
      "cudaMalloc",
      "cudaMalloc3D",
      "cudaMalloc3DArray",
      "cudaMallocArray",
      "cudaMallocHost",
      "cudaMallocManaged",
      "cudaMallocPitch",
      "cudaHostAlloc",
      "cudaHostRegister",
      "cudaHostUnregister",
      "cudaFree",
      "cudaFreeArray",
      "cudaFreeHost",
      "cudaGraphInstantiate",
      "cudaGraphInstantiateWithFlags",
      "cudaGraphExecDestroy",
      "cudaGraphInstantiateWithParams",
      "cudaStreamGetId",
      "cudaStreamGetFlags",
      "cudaStreamGetDevice",
  };
  return std::ranges::count(kUnsafe, function) > 0;
}

cudaError_t refuse_unsafe(Captures& captures) {
  if (!captures.any() || t_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
  bool any = false;
  for (auto& [id, capture] : captures.all) {
    const bool own = capture->thread == std::this_thread::get_id() && capture->mode != cudaStreamCaptureModeRelaxed;
    if (own || (t_mode == cudaStreamCaptureModeGlobal && capture->mode == cudaStreamCaptureModeGlobal))
      any = capture->invalid = true;
  }
  return any ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

cudaError_t refuse_whole_device(Captures& captures) {
  for (auto& [id, capture] : captures.all) capture->invalid = true;
  return captures.any() ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

std::string capture_advice(cudaError_t error, std::string_view function) {
  switch (error) {
    case cudaErrorStreamCaptureUnsupported:
      if (function == "cudaGraphLaunch")
        return with_next(words("the launch of a graph cannot be captured."),
                         words("add the graph as a child node, with cudaGraphAddChildGraphNode(), to the captured "
                               "graph, which cudaStreamGetCaptureInfo() gives."));
      return with_next(words("it is not allowed while a stream is captured: a graph cannot hold this call, or it would "
                             "wait for captured work."),
                       words("make it before cudaStreamBeginCapture() or after cudaStreamEndCapture(). Memory for the "
                             "graph's own work: cudaMallocAsync() and cudaFreeAsync()."));
    case cudaErrorStreamCaptureInvalidated:
      return with_next(
          words("an earlier call was not allowed and made the capture invalid."),
          words("check the error of each call since cudaStreamBeginCapture(). The first one that fails is the cause."));
    case cudaErrorStreamCaptureMerge:
      return with_next(words("the event belongs to the capture of another graph."),
                       words("capture both streams into one graph, or wait with cudaEventWaitExternal."));
    case cudaErrorStreamCaptureUnmatched:
      return with_next(words("another stream began this capture, which is invalid now."),
                       words("end the capture in the stream that began it."));
    case cudaErrorStreamCaptureUnjoined:
      return with_next(words("the first stream does not wait for all work of a stream that joined the capture."),
                       words("behind that work call cudaEventRecord(), and cudaStreamWaitEvent() in the first stream "
                             "before the end."));
    case cudaErrorStreamCaptureIsolation:
      return with_next(words("the event was recorded outside of the capture."),
                       words("record it in a stream that is captured, or wait with cudaEventWaitExternal."));
    case cudaErrorStreamCaptureImplicit:
      return with_next(
          words("the legacy default stream would wait for a stream that is captured."),
          words("use another stream for this call, or capture a stream that was made with cudaStreamNonBlocking."));
    case cudaErrorCapturedEvent:
      return with_next(
          words("the event was last recorded while its stream was captured, so it never happens by itself."),
          words("record it again outside of the capture, or record it with cudaEventRecordExternal."));
    case cudaErrorStreamCaptureWrongThread:
      return with_next(words("another thread began this capture, and now it is lost."),
                       words("end the capture in that thread, or begin it with cudaStreamCaptureModeRelaxed."));
    default: return "";
  }
}

cudaStreamCaptureMode exchange_mode(cudaStreamCaptureMode mode) { return std::exchange(t_mode, mode); }

cudaError_t append(CapturedStream& stream, NodeWork work, CallStack stack) {
  const cudaGraphNodeType type = type_of(work);
  const auto* kernel = std::get_if<KernelWork>(&work);
  const bool early = kernel && kernel->attributes.contains(cudaLaunchAttributeProgrammaticStreamSerialization);
  GraphNode& node = stream.capture->graph->add(std::move(work), std::move(stack));
  for (size_t i = 0; i < stream.last.nodes.size(); ++i) {
    GraphNode* const from = find(stream.last.nodes[i]);
    if (!from) continue;
    cudaGraphEdgeData data = stream.last.data[i];
    if (early && type_of(from->work) == cudaGraphNodeTypeKernel) data = kEarlyStart;
    node.graph.connect(*from, node, is_valid(data, type_of(from->work), type) ? data : cudaGraphEdgeData{});
  }
  stream.last = {};
  stream.last.add(handle_of(&node));
  return cudaSuccess;
}

cudaError_t begin_capture(Captures& captures, uint32_t stream, cudaStreamCaptureMode mode, Graph* into,
                          CapturedStream place) {
  if (mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
  if (stream == kLegacyStream) return cudaErrorStreamCaptureUnsupported;
  if (captures.streams.contains(stream)) return cudaErrorIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->id = ++captures.begun;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream;
  if (!into) capture->own = std::make_unique<Graph>();
  capture->graph = into ? into : capture->own.get();
  place.capture = capture.get();
  captures.streams[stream] = std::move(place);
  captures.all[capture->id] = std::move(capture);
  return cudaSuccess;
}

cudaError_t end_capture(Captures& captures, uint32_t stream, std::unique_ptr<Capture>* ended) {
  const auto entry = captures.streams.find(stream);
  if (entry == captures.streams.end()) return cudaErrorIllegalState;
  Capture& capture = *entry->second.capture;
  if (capture.origin != stream) {
    capture.invalid = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  cudaError_t error = is_invalid(capture) ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
  if (error == cudaSuccess && !all_joined(captures, capture)) error = cudaErrorStreamCaptureUnjoined;
  if (capture.mode != cudaStreamCaptureModeRelaxed && capture.thread != std::this_thread::get_id())
    error = cudaErrorStreamCaptureWrongThread;
  std::erase_if(captures.streams, [&](const auto& other) { return other.second.capture == &capture; });
  auto owned = captures.all.extract(capture.id);
  if (error == cudaSuccess) *ended = std::move(owned.mapped());
  return error;
}

void leave_capture(Captures& captures, uint32_t stream) {
  const auto entry = captures.streams.find(stream);
  if (entry == captures.streams.end()) return;
  Capture& capture = *entry->second.capture;
  if (capture.origin != stream) {
    capture.ends.add(entry->second.last);
    captures.streams.erase(entry);
    return;
  }
  std::erase_if(captures.streams, [&](const auto& other) { return other.second.capture == &capture; });
  captures.all.erase(capture.id);
}

std::optional<cudaError_t> capture_wait(Captures& captures, uint32_t stream, bool is_blocking,
                                        const std::optional<CapturedPlace>& place) {
  if (!captures.any() && !place) return std::nullopt;
  CapturedStream* found = nullptr;
  if (const cudaError_t error = find_captured(captures, stream, &found); error != cudaSuccess) return error;
  if (!found && !place) return std::nullopt;
  const auto entry = place ? captures.all.find(place->capture) : captures.all.end();
  Capture* const capture = entry == captures.all.end() ? nullptr : entry->second.get();
  const auto refuse = [&](cudaError_t error) {
    if (found) found->capture->invalid = true;
    if (capture) capture->invalid = true;
    return error;
  };
  if (!place) return refuse(cudaErrorStreamCaptureIsolation);  // it stands for work outside of the graph
  if (!capture) return refuse(cudaErrorInvalidValue);
  if (is_invalid(*capture)) return cudaErrorStreamCaptureInvalidated;
  if (found && found->capture != capture) return refuse(cudaErrorStreamCaptureMerge);
  if (stream == kLegacyStream) return refuse(cudaErrorStreamCaptureImplicit);
  if (found)
    found->last.add(place->after);
  else
    captures.streams[stream] = {capture, is_blocking, place->after};
  return cudaSuccess;
}

}  // namespace lockstep::runtime
