// opencl: OpenCL's C++ bindings, a device of this machine, and kernels whose errors name the line of your file. The
// other parts of a host program (context, queue, buffers, launches) stay in a lab's own file.
#pragma once

#define CL_HPP_ENABLE_EXCEPTIONS  // calls that fail throw cl::Error
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120  // NVIDIA's and every other driver has this version

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <CL/opencl.hpp>

// Write it before a raw string with kernels, on the same line: their errors then name this file and its lines.
#define OPENCL_LINE OPENCL_LINE_OF(__LINE__)
#define OPENCL_LINE_OF(line) OPENCL_LINE_TEXT(line)
#define OPENCL_LINE_TEXT(line) "#line " #line " \"" __FILE__ "\"\n"

// The runner defines them, so that the judge hears of it too. A program without the runner leaves them out.
extern "C" __attribute__((weak)) void warpladder_opencl_device(const char* name);
extern "C" __attribute__((weak)) void warpladder_opencl_failed(const char* status, const char* text);

// status: "kernels" if they do not compile; "no_driver" or "no_gpu_driver" if the machine is at fault.
[[noreturn]] inline void opencl_failed(const char* status, const std::string& text) {
  std::fprintf(stderr, "%s\n", text.c_str());
  if (warpladder_opencl_failed != nullptr) warpladder_opencl_failed(status, text.c_str());
  std::exit(1);
}

// The error codes that a first program meets.
inline const char* opencl_error_name(cl_int code) {
  switch (code) {
    case CL_DEVICE_NOT_AVAILABLE: return "CL_DEVICE_NOT_AVAILABLE";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
    case CL_OUT_OF_RESOURCES: return "CL_OUT_OF_RESOURCES";
    case CL_OUT_OF_HOST_MEMORY: return "CL_OUT_OF_HOST_MEMORY";
    case CL_INVALID_VALUE: return "CL_INVALID_VALUE";
    case CL_INVALID_CONTEXT: return "CL_INVALID_CONTEXT";
    case CL_INVALID_MEM_OBJECT: return "CL_INVALID_MEM_OBJECT";
    case CL_INVALID_KERNEL_NAME: return "CL_INVALID_KERNEL_NAME";
    case CL_INVALID_ARG_INDEX: return "CL_INVALID_ARG_INDEX";
    case CL_INVALID_ARG_VALUE: return "CL_INVALID_ARG_VALUE";
    case CL_INVALID_ARG_SIZE: return "CL_INVALID_ARG_SIZE";
    case CL_INVALID_KERNEL_ARGS: return "CL_INVALID_KERNEL_ARGS";
    case CL_INVALID_WORK_DIMENSION: return "CL_INVALID_WORK_DIMENSION";
    case CL_INVALID_WORK_GROUP_SIZE: return "CL_INVALID_WORK_GROUP_SIZE";
    case CL_INVALID_WORK_ITEM_SIZE: return "CL_INVALID_WORK_ITEM_SIZE";
    case CL_INVALID_GLOBAL_OFFSET: return "CL_INVALID_GLOBAL_OFFSET";
    case CL_INVALID_OPERATION: return "CL_INVALID_OPERATION";
    case CL_INVALID_BUFFER_SIZE: return "CL_INVALID_BUFFER_SIZE";
    case CL_INVALID_GLOBAL_WORK_SIZE: return "CL_INVALID_GLOBAL_WORK_SIZE";
    default: return "an error of OpenCL";
  }
}

// For the runner: an OpenCL error's what() names only the call. Adds the code; false if it is not an OpenCL error.
extern "C" __attribute__((used)) inline bool warpladder_opencl_describe(const std::exception& error,
                                                                        std::string& text) {
  const auto* const failed = dynamic_cast<const cl::Error*>(&error);
  if (failed == nullptr) return false;
  text += std::string(" failed with ") + opencl_error_name(failed->err()) + " (" + std::to_string(failed->err()) + ")";
  return true;
}

// A GPU if there is one, else the CPU. WARPLADDER_OPENCL=gpu takes no CPU; WARPLADDER_OPENCL=cpu prefers one.
inline cl::Device opencl_device() {
  std::vector<cl::Platform> platforms;
  try {
    cl::Platform::get(&platforms);
  } catch (const cl::Error&) {}  // there is no platform
  const char* const wanted = std::getenv("WARPLADDER_OPENCL");
  const std::string_view wish = wanted != nullptr ? wanted : "";
  std::vector<cl_device_type> kinds{CL_DEVICE_TYPE_GPU};
  if (wish != "gpu") kinds.insert(wish == "cpu" ? kinds.begin() : kinds.end(), CL_DEVICE_TYPE_CPU);
  for (const cl_device_type kind : kinds) {
    for (const cl::Platform& platform : platforms) {
      std::vector<cl::Device> devices;
      try {
        platform.getDevices(kind, &devices);
      } catch (const cl::Error&) {}  // no device of this kind
      if (devices.empty()) continue;
      const std::string name = devices.front().getInfo<CL_DEVICE_NAME>();
      if (warpladder_opencl_device != nullptr) warpladder_opencl_device(name.c_str());
      return devices.front();
    }
  }
  if (wish == "gpu")
    opencl_failed("no_gpu_driver",
                  "no GPU here has an OpenCL driver; NVIDIA's libnvidia-opencl.so.1 comes with the card's own");
  opencl_failed("no_driver", "no device here has an OpenCL driver; Debian's pocl-opencl-icd serves any CPU");
}

// NVIDIA's compiler does not heed #line: it says <kernel>:13 for line 13 of the string. Line 1 of the string is #line
// itself; line 2 is the rest of the line that #line names.
inline std::string opencl_own_lines(std::string log, const std::string& source) {
  const std::string mark = "<kernel>:";
  const size_t quote = source.find('"');
  if (!source.starts_with("#line ") || quote == std::string::npos) return log;
  const std::string file = source.substr(quote + 1, source.find('"', quote + 1) - quote - 1);
  const long first = std::atol(source.c_str() + 6);
  for (size_t at = 0; (at = log.find(mark, at)) != std::string::npos;) {
    const size_t number = at + mark.size(), end = log.find_first_not_of("0123456789", number);
    const std::string place = file + ":" + std::to_string(first + std::atol(log.c_str() + number) - 2);
    log.replace(at, std::min(end, log.size()) - at, place);
    at += place.size();
  }
  return log;
}

// Compiles kernels for the context's device. If they do not compile, the program ends with the compiler's message.
inline cl::Program opencl_program(const cl::Context& context, const char* source) {
  cl::Program program(context, source);
  try {
    program.build();
  } catch (const cl::BuildError& error) {
    std::string log;
    for (const auto& [device, text] : error.getBuildLog()) log += text;
    opencl_failed("kernels", opencl_own_lines(log, source));
  }
  return program;
}
