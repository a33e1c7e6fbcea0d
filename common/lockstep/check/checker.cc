#include "check/checker.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/align.h"
#include "base/words.h"
#include "engine/block.h"

namespace lockstep {
namespace {

// CUDA's own C++ libraries have kernels that do on purpose what would be a mistake elsewhere: they read an element of
// shared memory that nothing has written, or let lanes of one warp put different values into one discarded element.
// Neither is a finding in a kernel of these namespaces (docs/lockstep.md names the algorithms). Nobody gains by a
// kernel of such a name: every other finding is the same there, and unwritten shared memory holds garbage
// (Block::start). Where the code says that it stands, by #line or by .loc, decides nothing.
bool is_library_kernel(std::string_view demangled) {
  if (demangled.starts_with("void ")) demangled.remove_prefix(5);  // a template's return type
  return demangled.starts_with("cub::") || demangled.starts_with("thrust::");
}

// Whether something orders accesses to global memory within a block only.
bool has_block_scopes(const Program& program) {
  const auto fences = [](const Instruction& in) { return in.kind == Kind::kFence && in.scope == Scope::kBlock; };
  const auto orders = [](const MemoryAccess& access) {
    return access.order != MemoryOrder::kWeak && access.scope == Scope::kBlock && access.space != Space::kShared;
  };
  return std::ranges::any_of(program.code, fences) || std::ranges::any_of(program.accesses, orders);
}

// Whether its threads may learn of each other in another way than by barriers of all.
bool may_need_clocks(const Program& program) {
  const auto fences = [](const Instruction& in) { return in.kind == Kind::kFence; };
  const auto orders = [](const MemoryAccess& access) { return access.order > MemoryOrder::kRelaxed; };
  return std::ranges::any_of(program.code, fences) || std::ranges::any_of(program.accesses, orders);
}

// Memory allocates whole pages, with at least 512 bytes behind the last byte. Shadows include these bytes, so that
// neighbours' shadows touch and the system keeps them as one mapping.
constexpr uint64_t kPage = 4096;
uint64_t allocation_begin(uint64_t first) { return first / kPage * kPage; }
uint64_t allocation_end(uint64_t first, uint64_t bytes) { return align_up(first + bytes + 512, kPage); }

}  // namespace

Checker::Checker(const Checks& checks, const Memory& memory)
    : checks_(checks), memory_(memory), touched_(memory.reserved()) {
  if (checks.initialised) written_ = std::make_unique<Shadow<uint64_t>>(memory.reserved() / 64);
  if (!checks.races) return;
  for (int i = 0; i < 3; ++i) records_.push_back(std::make_unique<Shadow<Record>>(memory.reserved() / 4));
  streams_ = std::make_unique<StreamRaces>(memory, global_cells());
  host_uses_ = std::make_unique<HostUses>(memory);
}

bool Checker::allocated(uint64_t address, uint64_t bytes) {
  const uint64_t at = address - memory_.base(), first = allocation_begin(at), end = allocation_end(at, bytes);
  if (written_ && !written_->open(first / 64, (end - first) / 64)) return false;
  if (host_uses_ && !host_uses_->allocated(address, memory_.base() + end)) return false;
  return std::ranges::all_of(records_, [&](auto& records) { return records->open(first / 4, (end - first) / 4); });
}

void Checker::host_wrote(uint64_t address, uint64_t bytes) {
  if (written_ && bytes) Written(written_->data()).set(address - memory_.base(), bytes);
}

void Checker::freed(uint64_t address, uint64_t bytes) {
  const uint64_t at = address - memory_.base(), first = allocation_begin(at), end = allocation_end(at, bytes);
  if (written_) written_->close(first / 64, (end - first) / 64);
  if (host_uses_) host_uses_->freed(address, memory_.base() + end);
  for (auto& records : records_) records->close(first / 4, (end - first) / 4);
}

void Checker::begin_launch(const Launch& launch) {
  launch_ = &launch;
  of_library_ = is_library_kernel(launch.names.kernel);
  causes_.clear();  // these belong to a launch that did not reach its end
  blocks_.clear();
  findings_.clear();
  lane_values_.forget();
  touched_.forget();
  notes_touched_ = checks_.races && may_need_clocks(launch.program);
  if (order_.begin_launch(has_block_scopes(launch.program))) {
    for (auto& records : records_) records->reset();
    if (streams_) streams_->forget_records();
  }
  if (streams_) streams_->begin_launch(launch, order_.first_segment());
}

void Checker::end_launch(Findings& findings) {
  // A read of a word that another thread writes later is found twice, also as a race. The race is the cause.
  const auto races_too = [&](const Cause& read) {
    return std::ranges::any_of(causes_, [&](const auto& entry) {
      const Cause& cause = entry.first;
      return cause.kind == "race" && cause.array == read.array && (cause.one == read.one || cause.other == read.one);
    });
  };
  for (const auto& [cause, index] : causes_)
    if (cause.kind == "uninitialised_read" && races_too(cause)) findings_[index].count = 0;
  for (Finding& finding : findings_)
    if (finding.count) findings.add(std::move(finding));
  end_work();
  blocks_.clear();
  launch_ = nullptr;
}

Checker::BlockChecks& Checker::checks_of(const Block& block) { return blocks_[block.slot()]; }

void Checker::begin_block(const Block& block) {
  if (block.slot() >= blocks_.size()) blocks_.resize(block.slot() + 1);
  BlockChecks& checks = checks_of(block);
  order_.begin_block(checks.order, block.linear(), launch_->shape.warps_per_block());
  if (checks_.initialised) checks.written.assign(launch_->shape.shared_bytes / 64 + 1, 0);
  if (checks_.races)
    for (auto& cells : checks.cells) cells.resize(launch_->shape.shared_bytes / 4 + kWarpSize);
}

bool Checker::count_again(const Cause& cause) {
  const auto found = causes_.find(cause);
  if (found == causes_.end()) return false;
  ++findings_[found->second].count;
  return true;
}

void Checker::add(const Cause& cause, Finding finding, const std::string& rest) {
  finding.kind = cause.kind;
  finding.kernel = launch_->names.kernel;
  finding.message += words(" in kernel {kernel}", {{"kernel", finding.kernel}});
  if (finding.other) finding.message += "\n  " + text(*finding.other);
  finding.message += "\n  " + text(finding.at) + "\n  " + rest;
  const auto [entry, is_new] = causes_.emplace(cause, findings_.size());
  if (is_new)
    findings_.push_back(std::move(finding));
  else
    findings_[entry->second].see_again(std::move(finding));
}

// ---- work in several streams ----

Cells Checker::global_cells() const {
  return {records_[0]->data(), records_[1]->data(), records_[2]->data(), memory_.reserved() / 4};
}

// Reads the records of what the launch has touched.
bool Checker::remember(Remembered& remembered) const {
  if (!notes_touched_) return false;
  const auto all_of = [&](const Record* records, uint64_t count) {
    for (uint64_t i = 0; i < count; ++i)
      if (records[i].segment >= order_.first_segment()) remembered.add(records[i].segment, records[i].lane);
  };
  constexpr uint64_t kWords = Touched::kPart / 4;
  for (const uint64_t part : touched_.parts())
    for (const auto& records : records_)
      all_of(records->data() + part * kWords, std::min(kWords, memory_.reserved() / 4 - part * kWords));
  for (const BlockChecks& block : blocks_)
    for (const auto& cells : block.cells) all_of(cells.data(), cells.size());
  return true;
}

void Checker::begin_work(const Task& work) {
  if (streams_) streams_->begin_work(work);
}

void Checker::use(const Rows& rows, bool writes) {
  if (streams_) streams_->use(rows, writes, between_);
}

void Checker::touched(const HostTouch& touch) {
  if (streams_) streams_->touched(touch, between_);
}

void Checker::forget_work() {
  if (streams_) streams_->forget_all();
}

std::vector<HostUse> Checker::take_host_uses() { return std::exchange(last_uses_, {}); }
Findings Checker::take_findings() { return std::exchange(between_, {}); }

void Checker::end_work() {
  if (!streams_) return;
  last_uses_ = host_uses_->take(global_cells(), order_.first_segment(), launch_->program);
  if (PastWork* const present = streams_->present())
    for (const HostUse& use : last_uses_)
      if (const uint64_t base = memory_.find(use.begin).begin; !present->arrays.contains(base))
        present->arrays[base] = launch_->names.global_array(base);
  streams_->end_launch(order_.next_segment());
}

}  // namespace lockstep
