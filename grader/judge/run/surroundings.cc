#include "grader/judge/run/surroundings.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "grader/judge/sandbox/sandbox.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kDataLimit = uint64_t{8} << 30;  // host memory and, on lockstep, device memory with its shadows
constexpr const char* kLockstepMemory = "4G";       // device memory there
constexpr uint64_t kLargestFile = uint64_t{256} << 20, kOpenFiles = 1024;

// A folder that names NVIDIA's OpenCL driver. Containers often have the driver without the file that names it.
std::string nvidia_vendor(const fs::path& folder) {
  fs::create_directory(folder / "vendors");
  std::ofstream(folder / "vendors" / "nvidia.icd") << "libnvidia-opencl.so.1\n";
  return folder / "vendors";
}

// Here the program may leave files: in memory of its own, or in `folder` where the sandbox does not hide our files.
fs::path workplace(const fs::path& folder) { return Sandbox::here().hides_files() ? "/tmp" : folder; }

Walls walls_of(const SubmissionSpec& spec, const fs::path& folder) {
  Walls walls;
  const bool is_opencl = spec.lab->is_opencl(), is_lockstep = spec.device.is_lockstep;
  // PoCL starts a linker.
  walls.permissions = {
      .processes = is_opencl, .shared_memory = !is_lockstep || is_opencl, .local_sockets = !is_lockstep};
  walls.card = !is_lockstep;
  walls.system = !is_lockstep || is_opencl;
  walls.variables = {"WARPLADDER_", "OCL_ICD_"};
  // Some containers find the driver's libraries, also those of OpenCL, by LD_LIBRARY_PATH alone.
  if (!is_lockstep) walls.variables.insert(walls.variables.end(), {"CUDA_", "NVIDIA_", "LD_LIBRARY_PATH"});
  walls.readable = spec.device.sees;
  walls.readable.insert(walls.readable.end(), {spec.binary, spec.device.lockstep, folder / "vendors"});
  std::istringstream libraries(
      is_lockstep || std::getenv("LD_LIBRARY_PATH") == nullptr ? "" : std::getenv("LD_LIBRARY_PATH"));
  for (std::string library; std::getline(libraries, library, ':');) walls.readable.emplace_back(library);
  if (const char* vendors = std::getenv("OCL_ICD_VENDORS")) walls.readable.emplace_back(vendors);
  if (is_opencl && !spec.cache.empty()) {
    fs::create_directory(spec.cache);
    walls.writable.push_back(spec.cache);
  }
  return walls;
}

std::vector<std::pair<std::string, std::string>> environment_of(const SubmissionSpec& spec, const fs::path& folder) {
  const bool is_lockstep = spec.device.is_lockstep;
  std::vector<std::pair<std::string, std::string>> variables = {
      {"TMPDIR", workplace(folder)},
      {"POCL_CACHE_DIR", spec.cache.empty() ? workplace(folder) / "pocl" : spec.cache},
      {"WARPLADDER_OPENCL", is_lockstep ? "cpu" : "gpu"}};
  const auto set = [&](const char* name, const std::string& value) { variables.emplace_back(name, value); };
  if (is_lockstep) {
    set("LD_LIBRARY_PATH", spec.device.lockstep);
    if (!spec.lab->is_opencl()) set("LOCKSTEP_DEVICE", "fd:" + std::to_string(kDeviceFd));
  } else if (std::getenv("OCL_ICD_VENDORS") == nullptr && !fs::exists("/etc/OpenCL/vendors/nvidia.icd")) {
    set("OCL_ICD_VENDORS", nvidia_vendor(folder));
  }
  return variables;
}

}  // namespace

bool has_device_process(const SubmissionSpec& spec) { return spec.device.is_lockstep && !spec.lab->is_opencl(); }

// Every option is set here, so that none of the judge's own environment reaches the device.
std::unique_ptr<DeviceProcess> start_device(const SubmissionSpec& spec) {
  DeviceProcess::Environment options = {
      {"LOCKSTEP_MEMORY", kLockstepMemory},
      // Wrong code may depend on the order of the blocks, and a verdict must not. Other judges may run as well.
      {"LOCKSTEP_THREADS", "1"},
      {"LOCKSTEP_SCHEDULE", spec.schedule.empty() ? "forward" : spec.schedule},
      {"LOCKSTEP_CHECKS", spec.checked ? "all" : "none"},
      {"LOCKSTEP_TRACE", spec.trace},
      {"LOCKSTEP_FAIL", spec.failing_call == 0 ? "" : "profiled:" + std::to_string(spec.failing_call)}};
  const Limits limits{.cpu_seconds = static_cast<uint64_t>(spec.cpu_seconds), .data_bytes = kDataLimit};
  return std::make_unique<DeviceProcess>(spec.device.lockstep / "device_server", std::move(options), limits);
}

ChildSpec program_of(const SubmissionSpec& spec, const fs::path& folder) {
  ChildSpec program;
  program.command = {spec.binary.string()};
  program.folder = workplace(folder);
  program.environment = environment_of(spec, folder);
  program.limits = {static_cast<uint64_t>(spec.cpu_seconds), kDataLimit, kLargestFile, kOpenFiles};
  Sandbox::here().enclose(program, walls_of(spec, folder));
  return program;
}

}  // namespace warpladder
