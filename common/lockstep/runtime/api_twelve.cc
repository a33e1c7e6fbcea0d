// api_twelve: what programs of nvcc 12 call and CUDA 13 has no more: the older forms of functions that CUDA 13 declares
// in another way (cuda_api.h), and functions with older names. Each asks the function of CUDA 13, whose name here is
// that of CUDA 12. Part of the library for CUDA 12 alone.
#include "runtime/api.h"

#undef cudaStreamGetCaptureInfo
#undef cudaStreamUpdateCaptureDependencies
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaGraphAddNode
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphAddDependencies
#undef cudaGraphRemoveDependencies

using namespace lockstep::runtime;

// ---- a device's number instead of a place ----

LOCKSTEP_API cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise_v2(pointer, bytes, advice, {cudaMemLocationTypeDevice, device});
}

LOCKSTEP_API cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync_v2(pointer, bytes, {cudaMemLocationTypeDevice, device}, 0, stream);
}
LOCKSTEP_PER_THREAD(cudaMemPrefetchAsync, _ptsz);

// ---- edges without data ----

LOCKSTEP_API cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                          size_t count, cudaGraphNodeParams* params) {
  return cudaGraphAddNode_v2(node, graph, before, nullptr, count, params);
}

LOCKSTEP_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                           size_t* count) {
  return cudaGraphGetEdges_v2(graph, from, to, nullptr, count);
}

LOCKSTEP_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return cudaGraphNodeGetDependencies_v2(node, nodes, nullptr, count);
}

LOCKSTEP_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return cudaGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count);
}

LOCKSTEP_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                  const cudaGraphNode_t* to, size_t count) {
  return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

LOCKSTEP_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                     const cudaGraphNode_t* to, size_t count) {
  return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

LOCKSTEP_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                                     unsigned long long* id, cudaGraph_t* graph,
                                                     const cudaGraphNode_t** dependencies, size_t* count) {
  return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, nullptr, count);
}
LOCKSTEP_PER_THREAD(cudaStreamGetCaptureInfo_v2, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                             size_t count, unsigned flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}
LOCKSTEP_PER_THREAD(cudaStreamUpdateCaptureDependencies, _ptsz);

// ---- other names ----

LOCKSTEP_API cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
LOCKSTEP_API cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
LOCKSTEP_API cudaError_t cudaThreadSetLimit(cudaLimit limit, size_t value) { return cudaDeviceSetLimit(limit, value); }
LOCKSTEP_API cudaError_t cudaThreadGetLimit(size_t* value, cudaLimit limit) { return cudaDeviceGetLimit(value, limit); }
LOCKSTEP_API cudaError_t cudaThreadSetCacheConfig(cudaFuncCache config) { return cudaDeviceSetCacheConfig(config); }
LOCKSTEP_API cudaError_t cudaThreadGetCacheConfig(cudaFuncCache* config) { return cudaDeviceGetCacheConfig(config); }
// CUDA 12.8 and 12.9 have both names.
LOCKSTEP_API cudaError_t cudaEventElapsedTime_v2(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return cudaEventElapsedTime(milliseconds, from, to);
}
