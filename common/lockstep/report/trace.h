// trace: launches → a file, a line of JSON for each launch and for each warp instruction that accesses memory, waits,
// shuffles, or sends its lanes different ways, in the order in which they happen. In: events from the engine
// (observer.h). Asynchronous copies and mbarriers are left out.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "engine/observer.h"
#include "engine/source_names.h"

namespace lockstep {

class Trace : public Observer {
 public:
  static constexpr uint32_t kVersion = 3;            // of the file's form (docs/lockstep.md, "Traces")
  static constexpr uint64_t kMostRecords = 200'000;  // some 100 MB

  // Throws std::runtime_error if the file cannot be written. most: lines, so that a trace does not fill the disk.
  explicit Trace(const std::string& file, uint64_t most = kMostRecords);

  void begin_launch(const Launch& launch) override;
  void end_launch(Findings& findings) override;
  void begin_block(const Block& block) override;

  void access(const ObservedAccess& access) override;
  void sync_lanes(const Warp& warp, uint32_t pc, Mask together, const uint32_t* members, LaneSync kind) override;
  void shuffle(const Warp& warp, uint32_t pc, Mask mask, const Collective& shuffle,
               const std::byte* registers) override;
  void part_lanes(const Warp& warp, uint32_t pc, Mask together, Mask taken) override;
  void wait_at_barrier(const Warp& warp, uint32_t pc, Mask mask) override;
  void open_barrier(const Block& block, const OpenedBarrier& opened) override;

  std::string take_message();  // says once that the trace is not whole; else empty

 private:
  nlohmann::ordered_json record(const Warp& warp, uint32_t pc, Mask mask, const char* op) const;
  void write(const nlohmann::ordered_json& record);
  Element global_element(const SourceNames& names, uint64_t address);
  bool full() const { return records_ >= most_; }

  const std::string file_;
  const uint64_t most_;
  std::ofstream stream_;
  uint64_t records_ = 0;
  bool told_ = false;
  std::map<std::string, std::string> names_;  // arrays of this launch: as PTX knows them → the learner's own names
  std::vector<std::vector<uint32_t>> steps_;  // by Block::slot() and warp: barriers passed
};

}  // namespace lockstep
