// clock: what one thread knows about the others (knowledge.h), put together only when somebody asks.
//
// A thread learns at every acquire, but most of what it learns decides nothing: lockstep asks only when two threads use
// one word. So a clock only notes from which two clocks it has learned; such a note is a version. A question looks
// through the latest versions, and usually finds there what a lock or a flag has just passed on. If questions meet too
// many versions, or if too many wait, all of them are settled, the oldest first: each puts its knowledge together. If
// questions have met too many, the next questions will probably do so, too: they settle at once. So no program takes
// much longer than if every clock were put together at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "check/knowledge.h"
#include "check/remembered.h"

namespace lockstep {

class History;

class Clock {
 public:
  Clock() = default;
  Clock(const Clock& other) : version_(retain(other.version_)) {}
  Clock(Clock&& other) noexcept : version_(std::exchange(other.version_, nullptr)) {}
  Clock& operator=(Clock other) noexcept {
    std::swap(version_, other.version_);
    return *this;
  }
  ~Clock() {
    if (version_) drop(version_);
  }

  bool empty() const { return !version_; }
  // False if nobody has yet found out that they say the same.
  bool same_as(const Clock& other) const { return version_ == other.version_ || settled_alike(other); }
  // Whether that lane's accesses at `time` are known. They were made when History::now was at least `since`.
  bool knows(uint64_t warp, uint32_t lane, uint32_t time, uint32_t since = 0) const;
  // Only the settled part is looked at.
  bool surely_knows(uint64_t warp, uint32_t lane, uint32_t time) const;
  void learn(const Clock& other);
  void learn(History& history, const Accesses& accesses);
  void learn(History& history, uint64_t warp, const Moments& moments);

 private:
  friend class History;
  struct Version;

  explicit Clock(Version* version) : version_(retain(version)) {}
  static Version* retain(Version* version);
  static void drop(Version* version);
  Knowledge& own(History& history);
  bool settled_alike(const Clock& other) const;

  Version* version_ = nullptr;
};

// The versions of all clocks of a launch. It must live longer than they do.
class History {
 public:
  // So many versions may wait, of 64 bytes each. If there are more, they are settled.
  static constexpr size_t kMostWaiting = 1 << 19, kFewWaiting = 1 << 14;
  // After questions have met too many versions, so many questions settle at once.
  static constexpr size_t kAtOnce = 64;

  History();
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // Numbers for Clock::knows() that never fall.
  void set_now(SegmentId now) { now_ = now; }
  // Finds the accesses that questions may still come for. Without it, or if it finds out nothing: any.
  void set_remembered(std::function<std::optional<Remembered>(SegmentId from)> find) {
    find_remembered_ = std::move(find);
  }
  void settle();
  // In between, clocks are put together at once, and learn only what is remembered. Returns how much work it was to
  // begin, in nodes of trees.
  size_t begin_together(Remembered& remembered);
  void pass_to(SegmentId segment) {
    if (together_) together_->pass_to(segment);
  }
  void end_together() { together_ = nullptr; }
  bool is_together() const { return together_; }
  size_t waiting() const { return waiting_.size() - gaps_; }

 private:
  friend class Clock;
  using Version = Clock::Version;
  struct Question {
    uint64_t warp;
    uint32_t lane, time, since;
  };

  Version* add(Version* one, Version* other);
  Version* add_settled();  // that knows nothing yet
  Version* add_joined(Version* one, Version* other);
  void free(Version* version);
  bool knows(Version* version, const Question& asked);
  std::optional<bool> look(Version* version, const Question& asked);
  void begin_question();
  void make_room();
  void settle_first(size_t count, Remembered* remembered);
  void put_together(Version& version, Remembered* remembered);

  std::vector<Version*> waiting_;  // in the order in which they were made; null: freed
  size_t gaps_ = 0;                // that are null
  size_t most_waiting_ = kFewWaiting;
  Remembered* together_ = nullptr;
  std::function<std::optional<Remembered>(SegmentId from)> find_remembered_;
  uint32_t now_ = 0, question_ = 0;
  size_t met_ = 0;             // by questions since the last time that versions were settled
  size_t at_once_ = 0;         // so many of the next questions settle at once
  Version* latest_ = nullptr;  // the last one that joined two
  std::vector<std::unique_ptr<Version[]>> memory_;
  Version* spare_ = nullptr;  // a list, by Version::one
  std::vector<Version*> doomed_;
};

}  // namespace lockstep
