#include "check/stream_races.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/words.h"
#include "engine/source_names.h"

namespace lockstep {
namespace {

// More than so much unfinished work is not remembered: a race with the oldest may then be missed, none is invented.
constexpr size_t kMostPast = 1024;

std::string place(const Site& site) { return site.line ? site.file + ":" + std::to_string(site.line) : ""; }

std::string access_word(bool writes) { return writes ? words("write") : words("read"); }

// "kernel reduce, launched at a.cu:30: write at a.cu:12", as far as the places are known
std::string line_text(const std::string& work, const std::string& launched, const std::string& access) {
  const Facts facts = {{"work", work}, {"place", launched}, {"access", access}};
  return launched.empty() ? words("{work}: {access}", facts) : words("{work}, launched at {place}: {access}", facts);
}

std::string next_for_streams() {
  return with_next(words("Nothing orders the two streams. A card may run both at once, or in either order."),
                   words("let the second stream wait for the first: cudaEventRecord() behind the first work, "
                         "cudaStreamWaitEvent() before the second."));
}
std::string next_for_nodes() {
  return with_next(
      words("The graph has no path from one node to the other. A card may run both at once, or in either order."),
      words(
          "add a dependency with cudaGraphAddDependencies(). If the streams are captured: cudaEventRecord() behind the "
          "first work, cudaStreamWaitEvent() before the second."));
}
std::string next_for_the_host() {
  return with_next(words("The call returned before its work was done. On a card the work may not even have begun."),
                   words("let the host wait before it uses the memory: cudaDeviceSynchronize(), or "
                         "cudaStreamSynchronize() of the stream."));
}

bool same_graph(const PastWork& a, const PastWork& b) { return a.work.graph && a.work.graph == b.work.graph; }

// "host_race: kernel a uses s[1], which kernel b in another stream may still write"
std::string headline(const PastWork& now, const PastWork& other, const std::string& where, bool wrote) {
  const Facts facts = {{"work", now.name}, {"where", where}, {"other", other.name}};
  if (same_graph(now, other))
    return wrote ? words("host_race: {work} uses {where}, which {other} in another branch of the graph may still write",
                         facts)
                 : words("host_race: {work} uses {where}, which {other} in another branch of the graph may still read",
                         facts);
  return wrote ? words("host_race: {work} uses {where}, which {other} in another stream may still write", facts)
               : words("host_race: {work} uses {where}, which {other} in another stream may still read", facts);
}

std::string next_step(const PastWork& now, const PastWork& other) {
  return same_graph(now, other) ? next_for_nodes() : next_for_streams();
}

}  // namespace

std::optional<uint64_t> Rows::first_in(uint64_t begin, uint64_t end) const {
  if (end <= address || width == 0 || rows == 0) return std::nullopt;
  const uint64_t row = begin <= address || pitch == 0 ? 0 : (begin - address) / pitch;
  for (uint64_t r = row; r < std::min(rows, row + 2); ++r) {  // `begin` lies in this row, or in the gap behind it
    const uint64_t first = std::max(begin, address + r * pitch);
    if (first < address + r * pitch + width) return first < end ? std::optional(first) : std::nullopt;
  }
  return std::nullopt;
}

// ---- which work may run beside the present work ----

void StreamRaces::begin_work(const Task& work) {
  while (!past_.empty() && (past_.front().work.number <= work.settled || past_.size() > kMostPast)) past_.pop_front();
  present_.emplace();
  present_->work = work;
  present_->name = work.what;
  kept_ = false;
  beside_.clear();
  launches_.clear();
  acquired_.clear();
  first_kept_ = 0;
  if (work.beside.empty()) return;
  std::map<uint32_t, uint64_t> after;
  for (const Task::Beside& b : work.beside) after[b.stream] = b.after;
  for (const PastWork& past : past_) {
    const auto found = after.find(past.work.stream);
    if (found == after.end() || past.work.number <= found->second) continue;
    beside_.push_back(&past);
    if (past.first == past.end) continue;
    launches_.push_back({past.first, past.end, &past});
    if (!first_kept_) first_kept_ = past.first;
  }
}

void StreamRaces::begin_launch(const Launch& launch, SegmentId first) {
  if (!present_) return;
  present_->name = words("kernel {kernel}", {{"kernel", launch.names.kernel}});
  present_->first = first;
  const SourceNames& names = launch.names;
  present_->names.emplace(SourceNames{names.program, names.module, names.memory, names.kernel, names.block, nullptr});
}

void StreamRaces::end_launch(SegmentId end) {
  if (!present_) return;
  present_->end = end;
  past_.push_back(std::move(*present_));
  present_.reset();
}

void StreamRaces::forget_records() {
  for (PastWork& past : past_) past.first = past.end = 0;
  launches_.clear();
}

void StreamRaces::forget_all() {
  past_.clear();
  present_.reset();
  beside_.clear();
  launches_.clear();
}

const PastWork* StreamRaces::launch_of(const Record& record) const {
  const auto behind = std::ranges::upper_bound(launches_, record.segment, {}, &Launched::first);
  if (behind == launches_.begin() || record.segment >= std::prev(behind)->end) return nullptr;
  return std::prev(behind)->past;
}

// ---- the two accesses ----

void StreamRaces::look(const Record& record, bool wrote, const Record& me, Clash clash, std::vector<Clash>& found) {
  if (!(record.bytes & me.bytes)) return;
  clash.other = launch_of(record);
  if (!clash.other || acquired_.contains(clash.other)) return;
  if (record.atomic && me.atomic && !record.block_scope && !me.block_scope) {
    // A flag: the present launch may have learned through it that the other has come so far.
    if (wrote) acquired_.insert(clash.other);
    return;
  }
  clash.access = record.access;
  clash.other_wrote = wrote;
  found.push_back(clash);
}

void StreamRaces::look_at_copies(uint64_t begin, uint64_t end, bool writes, Clash clash,
                                 std::vector<Clash>& found) const {
  for (const PastWork* past : beside_)
    for (const PastWork::Copied& copied : past->copied) {
      if (!copied.writes && !writes) continue;
      const auto byte = copied.rows.first_in(begin, end);
      if (!byte) continue;
      clash.other = past;
      clash.byte = *byte - memory_.base();
      clash.other_wrote = copied.writes;
      found.push_back(clash);
    }
}

std::vector<Clash> StreamRaces::clashes(const MemoryAccess& access, Mask mask, const uint64_t* bytes) {
  std::vector<Clash> found;
  const uint32_t size = access.bytes * access.count;
  const bool writes = access.op != MemoryOp::kLoad;
  Record me;
  me.atomic = access.order != MemoryOrder::kWeak;
  me.block_scope = access.scope == Scope::kBlock;
  for (const uint32_t l : each_lane(mask)) {
    look_at_copies(memory_.base() + bytes[l], memory_.base() + bytes[l] + size, writes, {.lane = l}, found);
    if (launches_.empty()) continue;
    me.bytes = (size < 4 ? ((1u << size) - 1) << bytes[l] % 4 : 15) & 15;
    for (uint64_t w = bytes[l] / 4; w <= (bytes[l] + size - 1) / 4; ++w) {
      const Clash clash{.byte = std::max(bytes[l], w * 4), .lane = l};
      look(cells_.writer[w], true, me, clash, found);
      if (!writes) continue;
      look(cells_.reader[w], false, me, clash, found);
      look(cells_.other_reader[w], false, me, clash, found);
    }
  }
  return found;
}

// The first clash with the records of each launch is enough: a copy is one cause.
void StreamRaces::look_at_records(const Rows& rows, bool writes, std::vector<Clash>& found) const {
  std::set<const PastWork*> known;
  const auto note = [&](const Record& record, bool wrote, uint64_t byte, uint32_t mask) {
    const PastWork* const past = record.bytes & mask ? launch_of(record) : nullptr;
    if (past && known.insert(past).second)
      found.push_back({.other = past, .byte = byte, .access = record.access, .other_wrote = wrote});
  };
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const uint64_t begin = rows.address + row * rows.pitch - memory_.base(), end = begin + rows.width;
    for (uint64_t w = begin / 4; w * 4 < end; ++w) {
      uint32_t mask = 15;
      if (w * 4 < begin) mask &= 15u << (begin - w * 4);
      if (w * 4 + 4 > end) mask &= 15u >> (w * 4 + 4 - end);
      const uint64_t byte = std::max(begin, w * 4);
      note(cells_.writer[w], true, byte, mask);
      if (!writes) continue;
      note(cells_.reader[w], false, byte, mask);
      note(cells_.other_reader[w], false, byte, mask);
    }
  }
}

// ---- findings ----

std::string StreamRaces::describe(uint64_t address) const {
  const AddressInfo info = memory_.describe(address);
  return words("byte {number} of an allocation of {size}",
               {{"number", std::to_string(address - info.base)}, {"size", byte_count(info.bytes)}});
}

// "kernel reduce, launched at a.cu:30: write at a.cu:12"
std::string StreamRaces::line_of(const PastWork& past, bool wrote, uint32_t access) const {
  const Site call = memory_.host().call_line(past.work.call);
  const std::string made = access_word(wrote);
  if (!past.names) return line_text(past.name + at_place(place(call)), "", made);
  std::string at;
  if (access != kUnknownAccess) at = past.names->location(past.names->program.accesses[access].pc);
  return line_text(past.name, place(call), made + at_place(at));
}

// The line of the call, or of the kernel's access if the program was built without host lines.
Site StreamRaces::site_of(const PastWork& past, bool wrote, uint32_t access) const {
  Site site = memory_.host().call_line(past.work.call);
  if (!site.line && past.names && access != kUnknownAccess)
    std::tie(site.file, site.line) = past.names->source_line(past.names->program.accesses[access].pc);
  site.access = wrote ? "write" : "read";
  return site;
}

Finding StreamRaces::finding(const Clash& clash, const Site& here, const std::string& where,
                             const MemoryAccess& access) const {
  const PastWork& now = *present_;
  const Site call = memory_.host().call_line(now.work.call);
  Finding finding{.kind = "host_race", .kernel = now.names->kernel, .at = here, .where = where};
  if (call.line) finding.at.file = call.file, finding.at.line = call.line;
  finding.other = site_of(*clash.other, clash.other_wrote, clash.access);
  finding.message = headline(now, *clash.other, where, clash.other_wrote) + "\n  " +
                    line_text(now.name, place(call), text(here)) + "\n  " +
                    line_of(*clash.other, clash.other_wrote, clash.access) + "\n  " + next_step(now, *clash.other);
  finding.at.access = verb(access);
  return finding;
}

void StreamRaces::use(const Rows& rows, bool writes, Findings& findings) {
  if (!present_) return;
  if (!kept_) past_.push_back(*present_), kept_ = true;
  PastWork& now = past_.back();
  std::vector<Clash> found;
  for (uint64_t row = 0; !beside_.empty() && row < rows.rows; ++row) {
    const uint64_t begin = rows.address + row * rows.pitch;
    look_at_copies(begin, begin + rows.width, writes, {}, found);
  }
  if (!launches_.empty()) look_at_records(rows, writes, found);
  now.copied.push_back({rows, writes});
  // Of one other stream, the last work is named: work that waits for it has waited for the rest.
  std::ranges::sort(found, std::greater{}, [](const Clash& c) { return c.other->work.number; });
  std::set<uint32_t> named;
  const std::string verb = writes ? "write" : "read";
  for (const Clash& clash : found) {
    if (!named.insert(clash.other->work.stream).second) continue;
    const Site call = memory_.host().call_line(now.work.call);
    const std::string where = describe(memory_.base() + clash.byte);
    Finding finding{.kind = "host_race", .at = call, .where = where};
    finding.at.access = verb;
    finding.other = site_of(*clash.other, clash.other_wrote, clash.access);
    finding.message = headline(now, *clash.other, where, clash.other_wrote) + "\n  " +
                      line_of(now, writes, kUnknownAccess) + "\n  " +
                      line_of(*clash.other, clash.other_wrote, clash.access) + "\n  " + next_step(now, *clash.other);
    findings.add(std::move(finding));
  }
}

void StreamRaces::touched(const HostTouch& touch, Findings& findings) const {
  const auto past = std::ranges::find(past_, touch.work, [](const PastWork& p) { return p.work.number; });
  if (past == past_.end()) return;
  const uint64_t offset = touch.address - memory_.base();
  const Range range = memory_.find(touch.address);
  std::string where = words("memory that was registered");
  uint32_t access = kUnknownAccess;
  bool wrote = !touch.writes;  // only what is written may not be read
  if (!range.end && !past->copied.empty()) wrote = !past->copied.front().writes;  // the other side of a copy
  for (const PastWork::Copied& copied : past->copied)
    wrote |= copied.writes && copied.rows.first_in(touch.address, touch.address + 1);
  if (range.end) {
    where = describe(touch.address);
    const auto of_it = [&](const Record& r) { return r.segment >= past->first && r.segment < past->end; };
    const Record& writer = cells_.writer[offset / 4];
    for (const Record& record : {cells_.other_reader[offset / 4], cells_.reader[offset / 4], writer})
      if (of_it(record)) access = record.access;
    wrote |= of_it(writer);
    const auto array = past->arrays.find(range.begin);
    if (access != kUnknownAccess && array != past->arrays.end())
      where = array->second.element(static_cast<int64_t>(touch.address - range.begin),
                                    past->names->program.accesses[access].bytes);
  }
  const Site host = memory_.host().call_line(touch.call);
  const char* const verb = touch.writes ? "write" : "read";
  Finding finding{.kind = "host_race", .at = site_of(*past, wrote, access), .other = host, .where = where};
  if (past->names) finding.kernel = past->names->kernel;
  finding.other->access = verb;
  const Facts facts = {{"where", where}, {"other", past->name}};
  const std::string line = access_word(touch.writes) + at_place(place(host));
  const std::string what =
      touch.writes ? (wrote ? words("host_race: the host writes {where}, which {other} may still write", facts)
                            : words("host_race: the host writes {where}, which {other} may still read", facts))
                   : (wrote ? words("host_race: the host reads {where}, which {other} may still write", facts)
                            : words("host_race: the host reads {where}, which {other} may still read", facts));
  finding.message = what + "\n  " + words("the host: {access}", {{"access", line}}) + "\n  " +
                    line_of(*past, wrote, access) + "\n  " + next_for_the_host();
  findings.add(std::move(finding));
}

}  // namespace lockstep
