#include "engine/warp.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

bool changes_with_block(const Preset& preset) {
  if (preset.source != Preset::kSpecial) return false;
  const auto special = static_cast<Special>(preset.bits);
  return special == Special::kCtaidX || special == Special::kCtaidY || special == Special::kCtaidZ ||
         special == Special::kSmId;
}

bool changes_with_launch(const Preset& preset) {
  if (preset.source != Preset::kSpecial) return false;
  const auto special = static_cast<Special>(preset.bits);
  return special == Special::kGridId || special == Special::kGridWorkspaceHigh || special == Special::kGridWorkspaceLow;
}

bool changes_with_lane(Special special) {
  switch (special) {
    case Special::kTidX:
    case Special::kTidY:
    case Special::kTidZ:
    case Special::kLaneId:
    case Special::kLanemaskEq:
    case Special::kLanemaskLt:
    case Special::kLanemaskLe:
    case Special::kLanemaskGt:
    case Special::kLanemaskGe: return true;
    default: return false;
  }
}

}  // namespace

AlignedBytes aligned_bytes(size_t bytes) {
  const size_t size = std::max<size_t>(bytes, 1);
  AlignedBytes memory(new (std::align_val_t{64}) std::byte[size]);
  std::memset(memory.get(), 0, size);
  return memory;
}

Warp::Warp(Block& block, const Launch& launch, LaunchState& state, uint32_t index)
    : launch_(&launch),
      state_(&state),
      block_(block),
      index_(index),
      frames_{{}, std::vector<std::vector<Frame*>>(launch.program.functions.size())},
      local_(launch.shape.local_bytes ? aligned_bytes(launch.shape.local_bytes * kWarpSize) : nullptr) {
  new_frame(0);
  for (const Preset& preset : launch.program.functions[0].presets)
    if (changes_with_block(preset)) block_presets_.push_back(preset);
}

void Warp::begin_launch(const Launch& launch, LaunchState& state) {
  launch_ = &launch;
  state_ = &state;
  turns_ = {};
  sleep_ = {};
  for (Frame& frame : frames_.storage)
    for (const Preset& preset : launch.program.functions[frame.function].presets)
      if (changes_with_launch(preset)) set_preset(frame, preset);
}

Site Warp::site(uint32_t lane, uint32_t pc) const {
  return launch_->names.site(index_in(launch_->shape.grid, block_number_), index_, lane, pc);
}

void Warp::start(uint64_t block) {
  block_number_ = block;
  lane_races_.begin_block();
  const uint32_t threads = launch_->shape.threads_per_block() - index_ * kWarpSize;
  live_ = threads >= kWarpSize ? kFullMask : (1u << threads) - 1;
  Frame& entry = frames_.storage.front();
  entry.live = live_;
  entry.followed = false;
  written_local_.begin(local_bytes() * kWarpSize);
  following_ = {};
  for (const Preset& preset : block_presets_)
    std::fill_n(lanes<uint32_t>(entry.registers.get(), preset.offset), kWarpSize,
                static_cast<uint32_t>(special_value(static_cast<Special>(preset.bits), 0)));
  paths_.clear();
  copies_.clear();
  chain_ = {};
  clock_ = state_->clock;
  waits_ = branches_ = 0;
  turns_.left = kTurn;
  turns_.busy = kTurn;
  turns_.even = kEvenTurns;
  sleep_.wake();
  paths_.push_back({.mask = live_, .frame = &entry});
}

uint64_t Warp::special_value(Special special, uint32_t lane) const {
  const Dim3 block = index_in(launch_->shape.grid, block_number_);
  const uint32_t thread = index_ * kWarpSize + lane;
  switch (special) {
    case Special::kTidX: return index_in(launch_->shape.block, thread).x;
    case Special::kTidY: return index_in(launch_->shape.block, thread).y;
    case Special::kTidZ: return index_in(launch_->shape.block, thread).z;
    case Special::kNtidX: return launch_->shape.block.x;
    case Special::kNtidY: return launch_->shape.block.y;
    case Special::kNtidZ: return launch_->shape.block.z;
    case Special::kCtaidX: return block.x;
    case Special::kCtaidY: return block.y;
    case Special::kCtaidZ: return block.z;
    case Special::kNctaidX: return launch_->shape.grid.x;
    case Special::kNctaidY: return launch_->shape.grid.y;
    case Special::kNctaidZ: return launch_->shape.grid.z;
    case Special::kLaneId: return lane;
    case Special::kWarpId: return index_;
    case Special::kNWarpId: return launch_->limits.max_threads_per_sm / kWarpSize;
    case Special::kSmId: return block_number_ % launch_->limits.sm_count;
    case Special::kNSmId: return launch_->limits.sm_count;
    case Special::kGridId: return launch_->sequence;
    case Special::kLanemaskEq: return 1u << lane;
    case Special::kLanemaskLt: return (1u << lane) - 1;
    case Special::kLanemaskLe: return (2ull << lane) - 1;
    case Special::kLanemaskGt: return ~((2ull << lane) - 1);
    case Special::kLanemaskGe: return ~((1u << lane) - 1);
    case Special::kDynamicSharedBytes: return launch_->shape.dynamic_shared_bytes;
    case Special::kTotalSharedBytes: return launch_->shape.shared_bytes;
    case Special::kOne: return 1;
    case Special::kGridWorkspaceHigh: return launch_->grid_workspace >> 32;
    case Special::kGridWorkspaceLow: return launch_->grid_workspace & 0xffffffffu;
    default: return 0;
  }
}

Frame* Warp::new_frame(uint32_t function) {
  auto& spare = frames_.spare[function];
  if (!spare.empty()) {
    Frame* frame = spare.back();
    spare.pop_back();
    frame->followed = false;
    return frame;
  }
  const FunctionCode& code = launch_->program.functions[function];
  Frame& frame = frames_.storage.emplace_back();
  frame.function = function;
  frame.registers = aligned_bytes(code.register_bytes);
  frame.params.resize(size_t{code.param_bytes} * kWarpSize);
  for (const Preset& preset : code.presets) set_preset(frame, preset);
  return &frame;
}

void Warp::leave_frame(Frame* frame, Mask leaving) {
  frame->live &= ~leaving;
  if (frame->live == 0 && frame != &frames_.storage.front()) frames_.spare[frame->function].push_back(frame);
}

void Warp::set_preset(Frame& frame, const Preset& preset) {
  std::byte* registers = frame.registers.get();
  if (preset.width == Width::kPred) {
    *lanes<Mask>(registers, preset.offset) = static_cast<Mask>(preset.bits);
    return;
  }
  const auto special = static_cast<Special>(preset.bits);
  const bool is_special = preset.source == Preset::kSpecial;
  if (is_special && changes_with_lane(special))
    return write_lanes(registers, preset.offset, preset.width, kFullMask,
                       [&](uint32_t lane) { return special_value(special, lane); });
  const uint64_t value = is_special                       ? special_value(special, 0)
                         : preset.source == Preset::kBits ? preset.bits
                                                          : frame.local_base + preset.bits;
  if (preset.width == Width::k64)
    std::fill_n(lanes<uint64_t>(registers, preset.offset), kWarpSize, value);
  else if (preset.width == Width::k32)
    std::fill_n(lanes<uint32_t>(registers, preset.offset), kWarpSize, static_cast<uint32_t>(value));
  else
    write_lanes(registers, preset.offset, preset.width, kFullMask, [&](uint32_t) { return value; });
}

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

uint64_t mix(uint64_t hash, const std::byte* bytes, size_t size) {
  for (size_t i = 0; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes + i, sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

}  // namespace

uint64_t Warp::state_hash() const {
  uint64_t sum = 0;  // paths and joins have no order
  bool waits = false;
  for (const Path& path : paths_) {
    waits |= path.patience == Path::kWaits;
    uint64_t hash = mix(uint64_t{path.mask} << 32 | path.pc, uint64_t{path.state} << 32 | path.waits_for);
    hash = mix(hash, uint64_t{path.barrier} << 8 | path.patience);
    for (const Frame* frame = path.frame; frame; frame = frame->caller) {
      hash = mix(hash, uint64_t{frame->function} << 32 | frame->return_pc);
      hash = mix(hash, frame->registers.get(), launch_->program.functions[frame->function].register_bytes);
      hash = mix(hash, frame->params.data(), frame->params.size());
    }
    sum += hash;
  }
  for (const Join* join : joins_.in_use()) {
    waits |= join->arrived != 0;
    sum += mix(uint64_t{join->expected} << 32 | join->arrived, uint64_t{join->pc} << 1 | 1);
  }
  if (waits) sum += turns_.dull;  // these lanes wait for others no longer than a turn
  return mix(mix(sum, live_), local_.get(), local_bytes() * kWarpSize);
}

}  // namespace lockstep
