// ptx_golden_card FILE…: compares the goldens with a real card through CUDA's driver. This shows that their values are
// true, and not only what lockstep does. Each file has a child process: after a fault in a kernel a process can no
// longer use the driver. Not part of the tests; needs a GPU.
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <stdexcept>

#include "tests/ptx/golden.h"

namespace lockstep::golden {
namespace {

Outcome outcome_of(CUresult result) {
  if (result == CUDA_SUCCESS) return {};
  const char* text = nullptr;
  cuGetErrorString(result, &text);
  return {static_cast<Status>(result), text ? text : "unknown"};
}

// The part of a Device that run_golden needs, through the driver.
class Card final : public Device {
 public:
  Card() {
    CUdevice device = 0;
    check(cuInit(0));
    check(cuDeviceGet(&device, 0));
    check(cuDevicePrimaryCtxRetain(&context_, device));
    check(cuCtxSetCurrent(context_));
  }

  const DeviceLimits& limits() const override { return limits_; }
  Outcome allocate(uint64_t bytes, uint64_t* address, MemoryKind, uint64_t) override {
    CUdeviceptr pointer = 0;
    const Outcome outcome = outcome_of(cuMemAlloc(&pointer, bytes));
    *address = pointer;
    return outcome;
  }
  Outcome free(uint64_t address, bool) override { return outcome_of(cuMemFree(address)); }
  Outcome reserve(uint64_t, uint64_t*) override { return not_needed(); }
  Outcome allocate_reserved(uint64_t) override { return not_needed(); }
  Outcome unreserve(uint64_t) override { return not_needed(); }
  // The goldens copy single rows.
  Outcome copy_in(const Region& to, const void* from, uint64_t) override {
    return outcome_of(cuMemcpyHtoD(to.address, from, to.width));
  }
  Outcome copy_out(void* to, uint64_t, const Region& from, CopyPart) override {
    return outcome_of(cuMemcpyDtoH(to, from.address, from.width));
  }
  Outcome copy_within(const Region& to, uint64_t from, uint64_t) override {
    return outcome_of(cuMemcpyDtoD(to.address, from, to.width));
  }
  Outcome fill(const Region& to, uint8_t value) override { return outcome_of(cuMemsetD8(to.address, value, to.width)); }
  Outcome create_texture(const Texture&, uint64_t*) override { return not_needed(); }
  Outcome destroy_texture(uint64_t) override { return not_needed(); }
  AddressInfo find_address(uint64_t) const override { return {}; }
  void memory_info(uint64_t* free_bytes, uint64_t* total_bytes) const override { *free_bytes = *total_bytes = 0; }

  Outcome load_module(const std::vector<std::string_view>& ptx, ModuleId* module) override {
    *module = 0;
    char log[4096] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
    Outcome outcome = outcome_of(cuModuleLoadDataEx(&module_, std::string(ptx.front()).c_str(), 2, options, values));
    outcome.message += log;
    return outcome;
  }
  Outcome unload_module(ModuleId) override { return outcome_of(cuModuleUnload(module_)); }

  Outcome find_function(ModuleId, std::string_view name, FunctionInfo* info) override {
    const CUresult found = cuModuleGetFunction(&function_, module_, std::string(name).c_str());
    if (found == CUDA_ERROR_NOT_FOUND) return {Status::kInvalidDeviceFunction, "no such kernel"};
    if (found != CUDA_SUCCESS) return outcome_of(found);
    size_t offset = 0, bytes = 0;
    for (size_t i = 0; cuFuncGetParamInfo(function_, i, &offset, &bytes) == CUDA_SUCCESS; ++i) {
      info->params.push_back({static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)});
      info->param_bytes = static_cast<uint32_t>(offset + bytes);
    }
    return {};
  }
  Outcome find_global(ModuleId, std::string_view name, GlobalInfo* info) override {
    size_t bytes = 0;
    CUdeviceptr address = 0;
    const Outcome outcome = outcome_of(cuModuleGetGlobal(&address, &bytes, module_, std::string(name).c_str()));
    *info = {address, bytes};
    return outcome;
  }
  uint32_t blocks_per_sm(FunctionId, uint32_t, uint64_t) override { return 0; }
  KernelLimits kernel_limits(FunctionId) override { return {}; }
  Outcome set_max_dynamic_shared(FunctionId, uint64_t bytes) override {
    return outcome_of(
        cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, static_cast<int>(bytes)));
  }
  Outcome launch(const LaunchRequest& request) override {
    size_t bytes = request.params.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<std::byte*>(request.params.data()),
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = request.cooperative;
    CUlaunchConfig config{};
    config.gridDimX = request.grid.x, config.gridDimY = request.grid.y, config.gridDimZ = request.grid.z;
    config.blockDimX = request.block.x, config.blockDimY = request.block.y, config.blockDimZ = request.block.z;
    config.sharedMemBytes = static_cast<unsigned>(request.dynamic_shared_bytes);
    config.attrs = &cooperative;
    config.numAttrs = 1;
    return outcome_of(cuLaunchKernelEx(&config, function_, nullptr, extra));
  }
  Outcome synchronise() override { return outcome_of(cuCtxSynchronize()); }
  Outcome fault() const override { return {}; }
  void read_error() override {}
  bool call_fails(std::string_view) override { return false; }
  void tell_place(CallKind, uint64_t, std::string_view) override {}
  void start_profiling() override {}
  bool watches_streams() const override { return false; }
  void begin_work(const Task&) override {}
  void use(const Region&, bool) override {}
  std::vector<HostUse> take_host_uses() override { return {}; }
  void touched(const HostTouch&) override {}
  std::vector<Condition> take_conditions() override { return {}; }
  std::string take_output() override { return {}; }
  std::vector<std::string> take_messages() override { return {}; }
  Outcome end_program(End) override { return {}; }

 private:
  static Outcome not_needed() { return {Status::kInvalidValue, "no golden has graphs"}; }
  static void check(CUresult result) {
    if (result != CUDA_SUCCESS) throw std::runtime_error(outcome_of(result).message);
  }
  DeviceLimits limits_;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
};

std::string read_all(FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  return text;
}

// Runs in a child process. Exit code 0: the card does what the file says.
int check_file(const std::filesystem::path& path) {
  const Golden golden = read_golden(path);
  // The driver prints the output of kernels to stdout.
  FILE* printed = std::tmpfile();
  dup2(fileno(printed), STDOUT_FILENO);
  std::vector<std::string> differences;
  {
    Card card;
    differences = run_golden(golden, card, {.check_messages = false, .check_output = false});
  }
  std::fflush(stdout);
  if (const std::string text = read_all(printed); text != golden.printed)
    differences.push_back("printed:\n" + text + "want:\n" + golden.printed);
  for (const std::string& difference : differences) std::cerr << path.string() << ": " << difference << "\n";
  return differences.empty() ? 0 : 1;
}

}  // namespace
}  // namespace lockstep::golden

int main(int count, char** paths) {
  int held = 0, broken = 0, left_out = 0;
  for (int i = 1; i < count; ++i) {
    if (lockstep::golden::read_golden(paths[i]).lockstep_only) {
      ++left_out;
      continue;
    }
    const pid_t child = fork();
    if (child == 0) {
      // A kernel that never ends on the card must not block the other files.
      alarm(20);
      try {
        _exit(lockstep::golden::check_file(paths[i]));
      } catch (const std::exception& error) {
        std::cerr << paths[i] << ": " << error.what() << "\n";
        _exit(2);
      }
    }
    int status = 0;
    waitpid(child, &status, 0);
    ++(status == 0 ? held : broken);
    if (WIFSIGNALED(status)) std::cerr << paths[i] << ": ended by signal " << WTERMSIG(status) << "\n";
  }
  std::cout << held << " hold, " << broken << " broken, " << left_out << " left out\n";
  return broken == 0 ? 0 : 1;
}
