// trace: launches → a file, a line of JSON for each launch and for each warp instruction that accesses memory, waits or
// shuffles, in the order in which they happen. In: events from the engine. It changes nothing that a program could
// notice. Asynchronous copies and mbarriers are left out.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/places.h"
#include "program/program.h"

namespace lockstep {

class Block;
class Warp;
struct Launch;

class Trace {
 public:
  static constexpr uint64_t kMostRecords = 200'000;  // some 100 MB

  // Throws std::runtime_error if the file cannot be written. most: lines, so that nobody fills a disk by mistake.
  explicit Trace(const std::string& file, uint64_t most = kMostRecords);

  void begin_launch(const Launch& launch);
  void end_launch();
  void begin_block(const Block& block);

  // Before the data moves. space: the one that these lanes' addresses meant, if the instruction leaves it open.
  void access(const Warp& warp, const MemoryAccess& access, Mask mask, Space space, const Places& places);
  void barrier(const Warp& warp, uint32_t pc, Mask mask);  // they come to a barrier of the block, and wait
  void pass_barrier(const Block& block, uint32_t barrier);
  void sync_warp(const Warp& warp, uint32_t pc, Mask mask);  // they pass __syncwarp() together
  void shuffle(const Warp& warp, uint32_t pc, Mask mask, const Collective& shuffle, const std::byte* registers);

  std::string take_message();  // that the trace ends before its launches do, once; or empty

 private:
  nlohmann::ordered_json record(const Warp& warp, uint32_t pc, Mask mask, const char* op) const;
  void write(const nlohmann::ordered_json& record);
  bool full() const { return records_ >= most_; }

  const std::string file_;
  const uint64_t most_;
  std::ofstream stream_;
  uint64_t records_ = 0;
  bool told_ = false;
  std::map<const Block*, std::vector<uint32_t>> steps_;  // by warp: barriers passed
};

}  // namespace lockstep
