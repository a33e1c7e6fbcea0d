#include "runtime/streams.h"

#include <algorithm>

namespace lockstep::runtime {

bool StreamOrder::has_ended(uint32_t stream, uint64_t number) const {
  const auto known = host_.find(stream);
  return known != host_.end() && number <= known->second;
}

void StreamOrder::join(Clock& into, const Clock& from) const {
  for (const auto& [stream, number] : from)
    if (!has_ended(stream, number)) into[stream] = std::max(into[stream], number);
}

// What the stream's next work waits for without being told: the legacy stream for every blocking stream, and every
// blocking stream for the legacy stream.
void StreamOrder::arrive(uint32_t stream, Line& line) {
  std::erase_if(line.known, [&](const auto& entry) { return has_ended(entry.first, entry.second); });
  if (stream == kLegacyStream) {
    for (const auto& [other, their] : lines_)
      if (their.blocking && other != stream) join(line.known, their.known);
  } else if (line.blocking) {
    join(line.known, lines_[kLegacyStream].known);
  }
}

void StreamOrder::issue(uint32_t stream, Task& work) {
  std::erase_if(lines_, [&](const auto& entry) { return entry.second.closed && is_idle(entry.second); });
  Line& line = lines_[stream];
  arrive(stream, line);
  work.number = ++count_;
  work.stream = stream;
  if (is_idle(line)) line.first = work.number;
  line.last = line.known[stream] = work.number;
  work.settled = work.number - 1;
  for (const auto& [other, their] : lines_) {
    if (is_idle(their)) continue;
    work.settled = std::min(work.settled, their.first - 1);
    const auto known = line.known.find(other);
    const uint64_t after = std::max(known == line.known.end() ? 0 : known->second, their.first - 1);
    if (other != stream && their.last > after) work.beside.push_back({other, after});
  }
}

Clock StreamOrder::record(uint32_t stream) {
  Line& line = lines_[stream];
  arrive(stream, line);
  return line.known;
}

void StreamOrder::stream_waits(uint32_t stream, const Clock& event) {
  Line& line = lines_[stream];
  arrive(stream, line);
  join(line.known, event);
}

void StreamOrder::host_learns(const Clock& event) {
  for (const auto& [stream, number] : event) {
    if (has_ended(stream, number)) continue;
    host_[stream] = number;
    Line& line = lines_[stream];
    line.first = std::max(line.first, number + 1);
  }
}

void StreamOrder::host_waits_for_all() {
  for (auto& [stream, line] : lines_) {
    line.known.clear();
    line.first = line.last + 1;
    if (line.last) host_[stream] = line.last;
  }
}

}  // namespace lockstep::runtime
