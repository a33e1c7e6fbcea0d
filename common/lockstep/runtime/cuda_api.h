// cuda_api: CUDA's header, in the form of CUDA 13. All code of this room is written for that form, and so is a program
// of the tests (C++17). CUDA 12 has most of it under names that end in _v2 or _v3, and older forms under the plain
// names: those stand in api_twelve.cc.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>

#if CUDART_VERSION < 13000
#undef cudaStreamGetCaptureInfo
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#endif

namespace lockstep::runtime {

// Values that the first headers of CUDA 12 do not have.
inline constexpr int kConditionSwitch = 2;  // cudaGraphCondTypeSwitch
inline constexpr int kChildMoves = 1;       // cudaGraphChildGraphOwnershipMove
inline constexpr auto kUnusedCondition = static_cast<cudaGraphInstantiateResult>(5);  // …ConditionalHandleUnused

// The name that a program writes for a function of that name: "cudaMemAdvise" for "cudaMemAdvise_v2".
constexpr std::string_view written_name(std::string_view name) {
  const size_t plain = name.size() - (name.size() > 3 ? 3 : 0);
  const bool is_newer = name.substr(plain) == "_v2" || name.substr(plain) == "_v3";
  return is_newer ? name.substr(0, plain) : name;
}

}  // namespace lockstep::runtime
