// streams: the happens-before order of the host and its streams. In: the program's calls, as they are made. Out: for
// each piece of work, which work of other streams may still run beside it, and which work the host knows to have ended.
// Knows neither memory nor CUDA's types: a stream is a number.
//
// Each stream, each event and the host have a clock: for each stream, the number of the last work that they know to
// come before. A clock leaves out what the host knows anyway, so it is empty in a program that waits for its streams.
#pragma once

#include <cstdint>
#include <map>

#include "device/device.h"

namespace lockstep::runtime {

using Clock = std::map<uint32_t, uint64_t>;  // stream → the highest number that is known

constexpr uint32_t kLegacyStream = 0;

class StreamOrder {
 public:
  // A stream that is not blocking does not wait for the legacy stream, and the legacy stream does not wait for it.
  // Streams that nobody added are blocking.
  void add_stream(uint32_t stream, bool blocking) { lines_[stream].blocking = blocking; }
  // No more work comes. What it has goes on.
  void end_stream(uint32_t stream) { lines_[stream].closed = true; }

  // The next work, issued to this stream now. Sets number, stream, settled and beside.
  void issue(uint32_t stream, Task& work);
  // What an event that is recorded in this stream now stands for.
  Clock record(uint32_t stream);
  void stream_waits(uint32_t stream, const Clock& event);

  void host_waits(uint32_t stream) { host_learns(record(stream)); }  // for all work of the stream so far
  void host_learns(const Clock& event);
  void host_waits_for_all();

  bool has_ended(uint32_t stream, uint64_t number) const;  // for the host

 private:
  struct Line {
    bool blocking = true, closed = false;
    uint64_t first = 0, last = 0;  // work of this stream that the host does not know to have ended: all from first on
    Clock known;                   // what comes before the stream's next work; with its own last work
  };
  void arrive(uint32_t stream, Line& line);
  void join(Clock& into, const Clock& from) const;
  bool is_idle(const Line& line) const { return line.first > line.last || line.last == 0; }

  std::map<uint32_t, Line> lines_;
  std::map<uint32_t, uint64_t> host_;  // a stream's last number that the host knows
  uint64_t count_ = 0;
};

}  // namespace lockstep::runtime
