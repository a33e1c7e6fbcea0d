#include "device/child_grids.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/words.h"

namespace lockstep {

Outcome ChildGrids::request(const StartedWork& grid, LaunchRequest* request) const {
  const auto [module, name] = modules_.function_at(grid.function);
  FunctionInfo info;
  if (!module)
    return {Status::kInvalidDeviceFunction,
            with_next(words("the launched pointer does not point to a kernel"),
                      words("set the pointer on the device. The address of a host's function means nothing there."))};
  if (Outcome unknown = kernels_.find(*module, name, &info); !unknown.ok()) return unknown;
  *request = {.function = info.id,
              .grid = grid.grid,
              .block = grid.block,
              .dynamic_shared_bytes = grid.shared_bytes,
              .params = grid.params};
  return {};
}

Outcome ChildGrids::check(const StartedWork& grid, uint64_t* param_bytes) {
  LaunchRequest wanted;
  if (Outcome unknown = request(grid, &wanted); !unknown.ok()) return unknown;
  const LoadedKernel& kernel = *kernels_.find(wanted.function);
  *param_bytes = kernel.info.param_bytes;
  const std::vector<std::byte> no_params(kernel.info.param_bytes);  // they come later
  wanted.params = no_params;
  uint64_t resident = 0;
  return check_launch(limits_, kernel, 0, wanted, &resident);
}

void ChildGrids::failed(const StartedWork& grid, const Site& at, const std::string& message) {
  if (!options_.checks.launch) return;
  const std::string where = at.file.empty() ? "" : at.file + ":" + std::to_string(at.line);
  findings_.add({.kind = "bad_launch",
                 .kernel = grid.launcher.kernel,
                 .at = at,
                 .message = words("a launch {shape} in kernel {kernel}{at} failed: ",
                                  {{"shape", "<<<" + lockstep::text(grid.grid) + ", " + lockstep::text(grid.block) +
                                                 ", " + std::to_string(grid.shared_bytes) + ">>>"},
                                   {"kernel", grid.launcher.kernel},
                                   {"at", at_place(where)}}) +
                            message});
}

uint64_t ChildGrids::text(const std::string& text) {
  uint64_t& address = texts_[text];
  if (!address) {
    address = memory_.allocate_apart(text.size() + 1);
    std::memcpy(reinterpret_cast<void*>(address), text.c_str(), text.size() + 1);
  }
  return address;
}

void put_in_front(std::vector<StartedWork>& waiting, std::vector<StartedWork> started) {
  std::ranges::stable_partition(started, [](const StartedWork& work) { return !work.tail; });
  std::move(started.rbegin(), started.rend(), std::back_inserter(waiting));
}

}  // namespace lockstep
