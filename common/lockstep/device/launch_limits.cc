// launch_limits: a request for a launch → the first thing that is wrong with it, before the kernel starts: its shape,
// its resources, the limit of cooperative launches, an instruction that is not supported. Each answer names the next
// step.
#include <string>

#include "base/toolkit_file.h"
#include "base/words.h"
#include "count/occupancy.h"
#include "device/kernels.h"

namespace lockstep {
namespace {

Outcome bad(const std::string& what, const std::string& next) {
  return {Status::kInvalidConfiguration, with_next(what, next)};
}

Outcome check_shape(const DeviceLimits& limits, const LaunchRequest& r) {
  if (!r.grid.count())
    return bad(
        words("the grid is empty"),
        words("round the number of blocks up: (n + threads - 1) / threads. For n = 0 return before the launch."));
  if (!r.block.count())
    return bad(words("the block is empty"), words("give every dimension of the block at least 1 thread."));
  if (r.block.count() > limits.max_threads_per_block)
    return bad(
        words("the block has {count} threads; a block may have at most {most}",
              {{"count", std::to_string(r.block.count())}, {"most", std::to_string(limits.max_threads_per_block)}}),
        words("make the blocks smaller and the grid larger."));
  if (r.block.x > limits.max_block.x || r.block.y > limits.max_block.y || r.block.z > limits.max_block.z)
    return bad(words("the block is larger than 1024 x 1024 x 64 in one dimension"),
               words("put the long dimension in x."));
  if (r.grid.x > limits.max_grid.x || r.grid.y > limits.max_grid.y || r.grid.z > limits.max_grid.z)
    return bad(words("the grid is larger than 2147483647 x 65535 x 65535 in one dimension. A negative number of blocks "
                     "is very large, too"),
               words("check how the number of blocks is computed."));
  return {};
}

Outcome check_resources(const DeviceLimits& limits, const LoadedKernel& kernel, uint32_t registers,
                        const LaunchRequest& r) {
  const FunctionInfo& info = kernel.info;
  if (r.block.count() > info.max_threads_per_block)
    return {Status::kLaunchOutOfResources,
            with_next(words("the block has {count} threads; the kernel's __launch_bounds__ allow {most}",
                            {{"count", std::to_string(r.block.count())},
                             {"most", std::to_string(info.max_threads_per_block)}}),
                      words("launch smaller blocks, or raise its __launch_bounds__."))};
  if (const uint32_t most = most_threads(limits, registers); r.block.count() > most)
    return {
        Status::kLaunchOutOfResources,
        with_next(words("the block has {count} threads. ptxas gives each thread of the kernel {registers} registers, "
                        "and the card has enough for {most} threads of a block",
                        {{"count", std::to_string(r.block.count())},
                         {"registers", std::to_string(registers)},
                         {"most", std::to_string(most)}}),
                  words("launch smaller blocks, or write __launch_bounds__({count}) before the kernel's name: then "
                        "ptxas uses fewer registers.",
                        {{"count", std::to_string(r.block.count())}}))};
  const uint64_t wanted = info.static_shared_bytes + r.dynamic_shared_bytes;
  if (r.dynamic_shared_bytes > kernel.max_dynamic_shared || wanted > limits.shared_per_block_optin)
    return {Status::kInvalidValue,
            with_next(words("a block wants {wanted} of shared memory; the kernel may have {most}",
                            {{"wanted", byte_count(wanted)},
                             {"most", byte_count(info.static_shared_bytes + kernel.max_dynamic_shared)}}),
                      wanted > limits.shared_per_block_optin
                          ? words("use less shared memory. The card has no more for a block than {most}.",
                                  {{"most", byte_count(limits.shared_per_block_optin)}})
                          : words("for more than 48 KiB call cudaFuncSetAttribute(kernel, "
                                  "cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first."))};
  if (r.params.size() < info.param_bytes) return {Status::kInvalidValue, ""};
  return {};
}

// The kernel contains an instruction that lockstep does not know.
Outcome unsupported(const LoadedKernel& kernel) {
  const Program& program = *kernel.program;
  const SourceLocation& place = program.refusal.location;
  const bool inlined = place.inlined_line != 0;
  const auto& files = kernel.module->module.files;
  const auto file = files.find(inlined ? place.inlined_file : place.file);
  std::string at = words("PTX line {line}", {{"line", std::to_string(place.ptx_line)}});
  if (file != files.end()) at = file->second + ":" + std::to_string(inlined ? place.inlined_line : place.line);
  if (file != files.end() && is_toolkit_file(file->second)) at = "";  // the line of the launch is told, too
  return {Status::kUnsupportedInstruction,
          words("kernel {kernel} uses {instruction}{at}: ",
                {{"kernel", kernel.name}, {"instruction", program.refusal.instruction}, {"at", at_place(at)}}) +
              program.refusal.message};
}

}  // namespace

uint32_t blocks_per_sm(const DeviceLimits& limits, const LoadedKernel& kernel, uint32_t registers, uint32_t threads,
                       uint64_t dynamic_shared_bytes) {
  if (dynamic_shared_bytes > limits.shared_per_block_optin) return 0;
  return occupancy(limits, threads, kernel.info.static_shared_bytes + dynamic_shared_bytes, registers).blocks();
}

bool registers_decide(const DeviceLimits& limits, const LoadedKernel& kernel, const LaunchRequest& r) {
  constexpr uint64_t kCopies = 4;  // ptxas may unroll a loop four times, and each copy has registers of its own
  return r.cooperative || kCopies * kernel.info.registers * r.block.count() > limits.registers_per_sm;
}

Outcome check_launch(const DeviceLimits& limits, const LoadedKernel& kernel, uint32_t registers, const LaunchRequest& r,
                     uint64_t* resident) {
  if (Outcome outcome = check_shape(limits, r); !outcome.ok()) return outcome;
  if (Outcome outcome = check_resources(limits, kernel, registers, r); !outcome.ok()) return outcome;
  const auto threads = static_cast<uint32_t>(r.block.count());
  *resident = uint64_t{limits.sm_count} * blocks_per_sm(limits, kernel, registers, threads, r.dynamic_shared_bytes);
  if (r.cooperative && r.grid.count() > *resident)
    return {Status::kCooperativeLaunchTooLarge,
            with_next(words("a cooperative launch of {count} blocks; the card holds {most} at once",
                            {{"count", std::to_string(r.grid.count())}, {"most", std::to_string(*resident)}}),
                      words("ask cudaOccupancyMaxActiveBlocksPerMultiprocessor for the number, and let each block "
                            "loop."))};
  return kernel.program->refusal.message.empty() ? Outcome{} : unsupported(kernel);
}

}  // namespace lockstep
