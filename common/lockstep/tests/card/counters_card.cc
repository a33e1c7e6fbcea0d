// counters_card FILE [BYTES]: runs the rows of a golden CSV (columns ptx and lane_byte_offsets) on a real card: for
// each row one launch of the kernel "k", in order. Run it under Nsight Compute; single_access.py then puts the counts
// beside the rows. BYTES: the size of the memory, if 1 MiB is too small. Not part of the tests; needs a GPU.
#include <cuda.h>

#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

#include "tests/count/single_access.h"

namespace {

using namespace lockstep::golden;

void check(CUresult result) {
  if (result == CUDA_SUCCESS) return;
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  throw std::runtime_error(text ? text : "unknown error of the driver");
}

CUfunction load(const std::string& statements) {
  char log[4096] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUmodule module = nullptr;
  if (cuModuleLoadDataEx(&module, kernel_ptx(statements).c_str(), 2, options, values) != CUDA_SUCCESS)
    throw std::runtime_error(statements + ": " + log);
  CUfunction function = nullptr;
  check(cuModuleGetFunction(&function, module, "k"));
  return function;
}

void run(const std::string& path, size_t data_bytes) {
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(cuInit(0));
  check(cuDeviceGet(&device, 0));
  check(cuDevicePrimaryCtxRetain(&context, device));
  check(cuCtxSetCurrent(context));
  CUdeviceptr offsets = 0, data = 0, results = 0;
  check(cuMemAlloc(&offsets, 128));
  check(cuMemAlloc(&data, data_bytes));
  check(cuMemAlloc(&results, kResultBytes));
  std::map<std::string, CUfunction> kernels;
  for (auto& row : read_csv(path)) {
    CUfunction& kernel = kernels[row["ptx"]];
    if (!kernel) kernel = load(row["ptx"]);
    const std::vector<int32_t> lanes = parse_offsets(row["lane_byte_offsets"]);
    if (lanes.size() != 32) throw std::runtime_error("a row needs 32 offsets");
    check(cuMemcpyHtoD(offsets, lanes.data(), 128));
    check(cuMemsetD8(data, 0, kDataBytes));
    SingleAccessParams params{offsets, data, results, kUniform};
    void* arguments[] = {&params.offsets, &params.data, &params.results, &params.v};
    check(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    check(cuCtxSynchronize());
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2 && count != 3) return std::cerr << "usage: counters_card FILE.csv [BYTES]\n", 2;
  try {
    run(arguments[1], count == 3 ? std::stoull(arguments[2]) : kDataBytes);
  } catch (const std::exception& error) { return std::cerr << "counters_card: " << error.what() << "\n", 1; }
}
