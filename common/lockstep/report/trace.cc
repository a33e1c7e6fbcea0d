#include "report/trace.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "base/words.h"

#include "count/counters.h"
#include "engine/block.h"
#include "engine/collective.h"

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

Json xyz(const Dim3& d) { return {d.x, d.y, d.z}; }

Json numbers_of(Mask mask) {
  Json lanes = Json::array();
  for (const uint32_t l : each_lane(mask)) lanes.push_back(l);
  return lanes;
}

const char* name_of(MemoryOp op) {
  return op == MemoryOp::kLoad ? "load" : op == MemoryOp::kStore ? "store" : "atomic";
}

const char* name_of(Space space) {
  return space == Space::kGlobal ? "global" : space == Space::kShared ? "shared" : "local";
}

constexpr const char* kAtomics[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch", "cas"};

template <class T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A number of the instruction's type. Bits without a type, and halves, are unsigned numbers.
Json value_at(const void* from, Type type, uint32_t bytes) {
  switch (type) {
    case Type::kF32: return read<float>(from);
    case Type::kF64: return read<double>(from);
    case Type::kS8: return read<int8_t>(from);
    case Type::kS16: return read<int16_t>(from);
    case Type::kS32: return read<int32_t>(from);
    case Type::kS64: return read<int64_t>(from);
    default: break;
  }
  switch (bytes) {
    case 1: return read<uint8_t>(from);
    case 2: return read<uint16_t>(from);
    case 4: return read<uint32_t>(from);
    case 8: return read<uint64_t>(from);
    default: return nullptr;  // wider than any number
  }
}

// What memory holds before the access.
Json value_in_memory(const MemoryAccess& access, uint32_t e, uint64_t address) {
  return value_at(reinterpret_cast<const void*>(address + e * access.bytes), access.type, access.bytes);
}

// The value of element e of the lane's access. A load's value is read from memory, any other from the register (cas:
// the new value).
Json value_of(const Warp& warp, const MemoryAccess& access, uint32_t lane, uint32_t e, uint64_t address) {
  if (access.op == MemoryOp::kLoad) return value_in_memory(access, e, address);
  const bool store = access.op == MemoryOp::kStore;
  const uint32_t source = store                             ? access.registers[e]
                          : access.atomic == AtomicOp::kCas ? access.operand2
                                                            : access.registers[1];
  return value_at(warp.registers() + source + lane * bytes_of(access.register_width), access.type, access.bytes);
}

}  // namespace

Trace::Trace(const std::string& file, uint64_t most) : file_(file), most_(most), stream_(file) {
  if (!stream_) throw std::runtime_error(words("LOCKSTEP_TRACE={file}: this file cannot be written", {{"file", file}}));
}

void Trace::write(const Json& record) {
  stream_ << record.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  ++records_;
}

void Trace::begin_launch(const Launch& launch) {
  steps_.clear();
  names_.clear();
  if (full()) return;
  Json header{{"version", kVersion},
              {"launch", launch.sequence},
              {"kernel", launch.names.kernel},
              {"grid", xyz(launch.shape.grid)},
              {"block", xyz(launch.shape.block)}};
  if (const Launcher& by = launch.launcher; !by.kernel.empty())
    header["launched_by"] = {{"kernel", by.kernel}, {"file", by.file}, {"line", by.line}};
  write(header);
}

void Trace::end_launch(Findings&) { stream_.flush(); }  // at once: the program may end in any way

void Trace::begin_block(const Block& block) {
  if (block.slot() >= steps_.size()) steps_.resize(block.slot() + 1);
  steps_[block.slot()].assign(block.warps().size(), 0);
}

Json Trace::record(const Warp& warp, uint32_t pc, Mask mask, const char* op) const {
  const Launch& launch = warp.launch();
  const auto [file, line] = launch.names.source_line(pc);
  return {{"launch", launch.sequence},
          {"block", xyz(warp.block().coordinates())},
          {"warp", warp.index()},
          {"step", steps_[warp.block().slot()][warp.index()]},
          {"file", file},
          {"line", line},
          {"op", op},
          {"lanes", numbers_of(mask)}};
}

// The name is read from the source, once for each array.
Element Trace::global_element(const SourceNames& names, uint64_t address) {
  Element element = names.global_element(address);
  const auto [name, is_new] = names_.try_emplace(element.array);
  if (is_new) name->second = names.global_array(address - static_cast<uint64_t>(element.offset)).name;
  element.array = name->second;
  return element;
}

void Trace::access(const ObservedAccess& made) {
  if (full()) return;
  const auto& [warp, access, mask, space, addresses] = made;
  const Launch& launch = warp.launch();
  Json line = record(warp, access.pc, mask, name_of(access.op));
  std::array<uint64_t, kWarpSize> offsets = addresses.at;
  for (uint64_t& offset : offsets) offset -= addresses.shared_begin;  // 0 except for shared memory
  Json arrays = Json::array(), index = Json::array(), offsets_in_array = Json::array(), banks = Json::array(),
       values = Json::array(), before = Json::array();
  const bool atomic = is_atomic(access);
  bool one_array = true;
  for (const uint32_t l : each_lane(mask)) {
    const uint64_t address = addresses.at[l];
    Element element{words("local memory"),
                    static_cast<int64_t>(address - reinterpret_cast<uint64_t>(warp.local_memory(l)))};
    if (space == Space::kGlobal) element = global_element(launch.names, address);
    if (space == Space::kShared) {
      element = launch.names.shared_element(offsets[l]);
      banks.push_back(offsets[l] / 4 % 32);
    }
    const std::string array = plain(element.array);
    one_array &= arrays.empty() || arrays[0] == array;
    arrays.push_back(array);
    index.push_back(element.offset / access.bytes);
    offsets_in_array.push_back(element.offset);
    for (uint32_t e = 0; e < access.count; ++e) {
      values.push_back(value_of(warp, access, l, e, address));
      if (atomic) before.push_back(value_in_memory(access, e, address));
    }
  }
  if (atomic) line["atomic"] = kAtomics[static_cast<size_t>(access.atomic)];
  line["space"] = name_of(space);
  line["bytes"] = access.bytes;
  line["count"] = access.count;
  line["array"] = one_array ? arrays[0] : arrays;
  line["index"] = index;
  line["address"] = offsets_in_array;
  if (space == Space::kShared) line["bank"] = banks;
  line["value"] = values;
  if (atomic) line["before"] = before;
  const uint32_t bytes = access.bytes * access.count;
  if (!atomic && space == Space::kGlobal) line["sectors"] = global_sectors(offsets.data(), mask, bytes);
  if (!atomic && space == Space::kShared)
    line["wavefronts"] = shared_wavefronts(offsets.data(), mask, bytes, merges_phases(access)).total;
  write(line);
}

void Trace::wait_at_barrier(const Warp& warp, uint32_t pc, Mask mask) {
  if (!full()) write(record(warp, pc, mask, "barrier"));
}

void Trace::open_barrier(const Block& block, const OpenedBarrier& opened) {
  if (opened.kind == OpenedBarrier::kCluster) return;
  uint32_t last = kNowhere;  // lanes of one warp may arrive apart
  for (const Arrival& arrival : opened.arrivals)
    if (std::exchange(last, arrival.lanes.warp) != arrival.lanes.warp) ++steps_[block.slot()][arrival.lanes.warp];
}

void Trace::sync_lanes(const Warp& warp, uint32_t pc, Mask together, const uint32_t*, LaneSync kind) {
  if (!full() && kind == LaneSync::kWarpBarrier) write(record(warp, pc, together, "syncwarp"));
}

void Trace::shuffle(const Warp& warp, uint32_t pc, Mask mask, const Collective& shuffle, const std::byte* registers) {
  if (full()) return;
  const auto from = shuffle_sources(shuffle, registers);
  Json line = record(warp, pc, mask, "shuffle"), sources = Json::array(), values = Json::array(), given = Json::array();
  for (const uint32_t l : each_lane(mask)) {
    const auto source = static_cast<uint32_t>(from[l]);
    sources.push_back(source);
    values.push_back(read<uint32_t>(registers + shuffle.a + 4 * source));
    given.push_back(read<uint32_t>(registers + shuffle.a + 4 * l));
  }
  line["source"] = sources;
  line["value"] = values;
  line["given"] = given;
  write(line);
}

void Trace::part_lanes(const Warp& warp, uint32_t pc, Mask together, Mask taken) {
  if (full()) return;
  Json line = record(warp, pc, together, "branch");
  line["taken"] = numbers_of(taken);
  write(line);
}

std::string Trace::take_message() {
  if (told_ || (stream_ && !full())) return "";
  told_ = true;
  if (!stream_)
    return with_next(words("the trace in {file} is not whole: a line could not be written", {{"file", file_}}),
                     words("is the disk full?"));
  return with_next(
      words("the trace in {file} ends after {count} lines", {{"file", file_}, {"count", std::to_string(most_)}}),
      words("trace a smaller launch; a picture needs no more than a few blocks."));
}

}  // namespace lockstep
