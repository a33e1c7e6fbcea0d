// call_advice: a call of the runtime that fails → which argument is wrong, why, and the next step. Text only. Arguments
// have the names of CUDA's documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/cuda_api.h"

namespace lockstep::runtime {

// One side of a copy or a fill: "dst", "src" or "devPtr".
struct Side {
  const char* name = "";
  uint64_t address = 0;
  bool on_device = false, freed = false;
  uint64_t bytes_left = 0;  // from there to the end of its allocation, on the device
  uint64_t bytes = 0;       // that the call uses from there on
  uint64_t pitch = 0;
};

// Each gives "", or why the arguments are wrong and the next step: two lines, with marks (base/words.h).
std::string advice_on_copy(const Side& to, const Side& from, uint64_t width, uint64_t height, cudaMemcpyKind kind);
std::string advice_on_fill(const Side& to);
std::string advice_on_error(cudaError_t error);  // where the arguments are not known

// A name with a space stands for no function: it is a form (base/words.h).
std::string called(std::string_view name);

// "cudaMemcpy failed with cudaErrorInvalidValue: ADVICE", with the line of the call.
std::string failed_call(const std::string& name, cudaError_t error, const std::string& advice,
                        const std::string& place);

}  // namespace lockstep::runtime
