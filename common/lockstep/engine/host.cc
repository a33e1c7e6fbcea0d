// host: the program that uses the device, if both are in this process.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <iterator>

#include "base/interruption.h"
#include "engine/host.h"
#include "engine/workers.h"

namespace lockstep {
namespace {

Host::CallLines call_lines = nullptr;

class LocalHost : public Host {
 public:
  bool holds(uint64_t address) const override {
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    unsigned char resident = 0;
    return mincore(reinterpret_cast<void*>(address / page * page), page, &resident) == 0;  // fails if nothing is mapped
  }
  bool has_other_threads() const override {
    std::error_code error;
    const std::filesystem::directory_iterator threads("/proc/self/task", error);
    return !error && std::distance(begin(threads), end(threads)) > 1 + std::ptrdiff_t{Workers::alive() + g_watchers};
  }
  Site call_line(uint64_t call) const override { return call_lines ? call_lines(call) : Site{}; }
};

}  // namespace

const Host& Host::local() {
  static const LocalHost host;
  return host;
}

void Host::set_call_lines(CallLines lines) { call_lines = lines; }

}  // namespace lockstep
