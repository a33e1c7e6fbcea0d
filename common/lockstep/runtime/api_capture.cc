// api_capture: the functions of stream capture. What may be captured, and how streams join, stands in capture.h.
#include <algorithm>

#include "runtime/capturing.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

// The stream's place in a capture, also in one that is invalid; null: it is not captured.
CapturedStream* place_in_capture(Runtime& runtime, cudaStream_t stream) {
  const auto found = runtime.captures.streams.find(stream_number(runtime, stream));
  return found == runtime.captures.streams.end() ? nullptr : &found->second;
}

cudaStreamCaptureStatus status_of(const CapturedStream* place) {
  if (!place) return cudaStreamCaptureStatusNone;
  return place->capture->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

// What the next node shall depend on, as the program gives it. False: a node is not of this graph, or has no such edge.
bool read(const Graph& graph, const cudaGraphNode_t* nodes, const cudaGraphEdgeData* data, size_t count,
          Dependencies* into) {
  if (count > 0 && !nodes) return false;
  for (size_t i = 0; i < count; ++i) {
    const GraphNode* node = find(nodes[i]);
    const cudaGraphEdgeData edge = data ? data[i] : cudaGraphEdgeData{};
    if (!node || &node->graph != &graph) return false;
    if (!is_valid(edge, type_of(node->work), cudaGraphNodeTypeKernel)) return false;
    into->add(nodes[i], edge);
  }
  return true;
}

// The legacy stream must not be asked while a blocking stream is captured: it would answer for that stream.
cudaError_t ask(Runtime& runtime, cudaStream_t stream, CapturedStream** place) {
  *place = nullptr;
  if (!runtime.captures.any()) return cudaSuccess;
  const auto& streams = runtime.captures.streams;
  const bool blocked = std::ranges::any_of(streams, [](const auto& entry) { return entry.second.blocking; });
  if (stream_number(runtime, stream) == kLegacyStream) return blocked ? cudaErrorStreamCaptureImplicit : cudaSuccess;
  *place = place_in_capture(runtime, stream);
  return cudaSuccess;
}

cudaError_t begin(Runtime& runtime, cudaStream_t stream, cudaStreamCaptureMode mode, Graph* into, Dependencies after) {
  return begin_capture(runtime.captures, stream_number(runtime, stream), mode, into,
                       {nullptr, is_blocking(runtime, stream), std::move(after)});
}

}  // namespace

LOCKSTEP_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return with_stream(Needs::kDevice, stream,
                     [&](Runtime& runtime) { return begin(runtime, stream, mode, nullptr, {}); });
}
LOCKSTEP_PER_THREAD(cudaStreamBeginCapture, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                       const cudaGraphNode_t* dependencies,
                                                       const cudaGraphEdgeData* data, size_t count,
                                                       cudaStreamCaptureMode mode) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    Graph* into = find(graph);
    Dependencies after;
    if (!into || !read(*into, dependencies, data, count, &after)) return cudaErrorInvalidValue;
    return begin(runtime, stream, mode, into, std::move(after));
  });
}
LOCKSTEP_PER_THREAD(cudaStreamBeginCaptureToGraph, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    if (graph) *graph = nullptr;
    std::unique_ptr<Capture> ended;
    const cudaError_t error = end_capture(runtime.captures, stream_number(runtime, stream), &ended);
    if (error != cudaSuccess || !graph) return error;
    *graph = handle_of(ended->graph);
    if (ended->own) runtime.graphs.graphs[ended->graph] = std::move(ended->own);
    return error;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamEndCapture, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    CapturedStream* place = nullptr;
    const cudaError_t error = ask(runtime, stream, &place);
    return error == cudaSuccess ? give(status, status_of(place)) : error;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamIsCapturing, _ptsz);

// The dependencies stay valid until the next call on the stream. A caller that asks for them without their data must
// not miss what the data say.
LOCKSTEP_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                  unsigned long long* id, cudaGraph_t* graph,
                                                  const cudaGraphNode_t** dependencies,
                                                  const cudaGraphEdgeData** edge_data, size_t* count) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    CapturedStream* place = nullptr;
    if (const cudaError_t error = ask(runtime, stream, &place); error != cudaSuccess) return error;
    if (!status) return cudaErrorInvalidValue;
    *status = status_of(place);
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (dependencies && !edge_data && std::ranges::any_of(place->last.data, says_more)) return cudaErrorLossyQuery;
    if (id) *id = place->capture->id;
    if (graph) *graph = handle_of(place->capture->graph);
    if (dependencies) *dependencies = place->last.nodes.data();
    if (edge_data) *edge_data = place->last.data.data();
    if (count) *count = place->last.nodes.size();
    return cudaSuccess;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamGetCaptureInfo, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                             const cudaGraphEdgeData* data, size_t count,
                                                             unsigned flags) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) -> cudaError_t {
    CapturedStream* place = place_in_capture(runtime, stream);
    if (!place) return cudaErrorIllegalState;
    if (place->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    Dependencies more;
    if (flags > cudaStreamSetCaptureDependencies || !read(*place->capture->graph, dependencies, data, count, &more))
      return cudaErrorInvalidValue;
    if (flags == cudaStreamSetCaptureDependencies) place->last = {};
    place->last.add(more);
    return cudaSuccess;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);

LOCKSTEP_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call(Needs::kNothing, [&](Runtime&) {
    if (!mode || *mode > cudaStreamCaptureModeRelaxed) return cudaErrorInvalidValue;
    *mode = exchange_mode(*mode);
    return cudaSuccess;
  });
}
