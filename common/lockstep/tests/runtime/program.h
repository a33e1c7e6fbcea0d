// program: what nvcc adds to a program, made by hand: a fat binary with a kernel and two variables, their registration,
// and a launch. RuntimeApi is the fixture of tests that call the runtime with it.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/cuda_api.h"
#include "tests/runtime/fatbin_builder.h"

extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
}

namespace lockstep::runtime_test {

inline constexpr const char* kPtx = R"(.version 9.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 number = 7;
.visible .global .attribute(.managed) .align 4 .u32 shared_number = 5;
.visible .entry store(.param .u8 value, .param .u64 to)
{
  .reg .u16 %r1;
  .reg .u64 %d1;
  ld.param.u8 %r1, [value];
  ld.param.u64 %d1, [to];
  st.global.u8 [%d1], %r1;
  ret;
}
)";

// The error of a launch of a shape that no card takes.
inline constexpr cudaError_t kWrongShape =
    CUDART_VERSION < 13000 ? cudaErrorInvalidConfiguration : cudaErrorInvalidValue;

inline char store_stub, number_shadow;  // their addresses stand for the kernel and the variable
inline int* shared_number = nullptr;

// A program with one kernel, one variable and one managed variable.
struct Program {
  std::vector<std::byte> container;
  FatbinWrapper wrapper;
  void** handle = nullptr;
  explicit Program(const std::vector<std::vector<std::byte>>& entries) : container(fatbin_container(entries)) {
    wrapper.data = container.data();
    handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &store_stub, &store_stub, "store", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterVar(handle, &number_shadow, &number_shadow, "number", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, reinterpret_cast<void**>(&shared_number), nullptr, "shared_number", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
  }
  ~Program() { __cudaUnregisterFatBinary(handle); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
};
inline Program plain_program() { return Program({fatbin_entry(kPtxEntry, 75, kPlainFlags, kPtx)}); }

inline cudaError_t store(unsigned char value, void* to, unsigned threads = 1) {
  void* arguments[] = {&value, &to};
  return cudaLaunchKernel(&store_stub, dim3(1), dim3(threads), arguments, 0, nullptr);
}

struct RuntimeApi : testing::Test {
  void SetUp() override { start_server(); }
  // Sets the environment. Must come before the first CUDA call, which starts the device.
  static void set(const char* name, const std::string& value) {
    setenv(name, value.c_str(), 1);
    start_server();
  }
  // A file of this test in the build tree, for the end of the process writes the report again. The same test with the
  // device in its own process may run at the same time.
  static std::filesystem::path report_file() {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    const char* const device = std::getenv("LOCKSTEP_DEVICE_SERVER") ? ".device_server" : "";
    return std::filesystem::path(REPORT_FOLDER) / (test + device + ".report.json");
  }

 private:
  // LOCKSTEP_DEVICE_SERVER is the path of a device_server: then the device runs in a process of its own.
  static void start_server() {
    static int end = -1;
    static pid_t server = -1;
    const char* program = std::getenv("LOCKSTEP_DEVICE_SERVER");
    if (program == nullptr) return;
    if (end >= 0) {  // The last one was not used. It writes a report, too, and must have done so before the next one.
      close(end);
      ASSERT_EQ(waitpid(server, nullptr, 0), server);
    }
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    server = fork();
    if (server == 0) {
      close(ends[0]);
      execl(program, program, std::to_string(ends[1]).c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    end = ends[0];
    setenv("LOCKSTEP_DEVICE", ("fd:" + std::to_string(end)).c_str(), 1);
  }
};

}  // namespace lockstep::runtime_test
