#include "grader/judge/run/surroundings.h"

#include <cstdlib>
#include <fstream>

#include "grader/judge/base/text.h"
#include "grader/judge/sandbox/sandbox.h"

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestFile = uint64_t{256} << 20, kOpenFiles = 1024;

// Here the program may leave files: in memory of its own, or in `folder` where the sandbox does not hide our files.
fs::path workplace(const fs::path& folder) { return Sandbox::here().hides_files() ? "/tmp" : folder; }

Walls walls_of(const SubmissionSpec& spec, const fs::path& folder) {
  Walls walls;
  const bool is_opencl = spec.lab.is_opencl(), is_lockstep = spec.device.is_lockstep;
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
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  if (!is_lockstep && libraries != nullptr) {
    for (const std::string& library : split(libraries, ':')) walls.readable.emplace_back(library);
  }
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
    if (!spec.card.empty()) set("LOCKSTEP_NAME", spec.card);
    if (spec.has_device_process()) set("LOCKSTEP_DEVICE", "fd:" + std::to_string(kDeviceFd));
  } else if (std::getenv("OCL_ICD_VENDORS") == nullptr && !fs::exists("/etc/OpenCL/vendors/nvidia.icd")) {
    // Containers often have NVIDIA's OpenCL driver without the file that names it.
    fs::create_directory(folder / "vendors");
    std::ofstream(folder / "vendors" / "nvidia.icd") << "libnvidia-opencl.so.1\n";
    set("OCL_ICD_VENDORS", folder / "vendors");
  }
  return variables;
}

}  // namespace

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
