#include "check/clock.h"

#include <algorithm>
#include <array>

namespace lockstep {
namespace {

constexpr uint32_t kSettled = ~0u;
constexpr size_t kMany = 1024;         // versions that are allocated at once
constexpr size_t kMostMet = 64;        // so many versions may one question meet
constexpr size_t kPatience = 8;        // and so many, for each version that waits, may all questions meet
constexpr size_t kWaitingForEach = 8;  // so many versions may wait for each access that memory remembers

// The part of it that may be asked about.
Moments part_of(const Moments& moments, const Moments& remembered) {
  Moments part;
  for (uint32_t l = 0; l < kWarpSize; ++l) part[l] = std::min(moments[l], remembered[l]);
  return part;
}

// Calls learn() with the warps and moments of that part.
template <class Learn>
void each_remembered(const Accesses& accesses, const Remembered& remembered, Learn&& learn) {
  for (uint64_t i = 0; i < accesses.warps; ++i) {
    const Moments* const latest = remembered.of(accesses.first_warp + i);
    if (!latest) continue;
    Moments moments;
    moments.fill(accesses.before);
    if (i == 0) moments[accesses.lane] = std::max(accesses.before, accesses.moment);
    learn(accesses.first_warp + i, part_of(moments, *latest));
  }
}
template <class Learn>
void each_remembered(const Knowledge& row, uint64_t warp, const Remembered& remembered, Learn&& learn) {
  if (const Moments* const latest = remembered.of(warp)) learn(warp, part_of(row.moments(warp), *latest));
}

}  // namespace

// What it knows is the sum of two older versions and of some accesses. Settled, it has knowledge instead; before that,
// it has the knowledge of the last settled version on the way along `one`. A row is settled when it is made: it knows
// some moments of one warp.
struct Clock::Version {
  History* history = nullptr;
  uint32_t owners = 0;
  uint32_t place = kSettled;  // in History::waiting_
  uint32_t made = 0;          // History::now_
  uint32_t question = 0;      // the last one that met it
  Version *one = nullptr, *other = nullptr;
  Accesses accesses;  // of a row: none, of its warp
  Knowledge knowledge;
};

// ---- clocks ----

Clock::Version* Clock::retain(Version* version) {
  if (version) ++version->owners;
  return version;
}

void Clock::drop(Version* version) {
  if (--version->owners == 0) version->history->free(version);
}

bool Clock::settled_alike(const Clock& other) const {
  if (!version_ || !other.version_ || version_->place != kSettled || other.version_->place != kSettled) return false;
  return version_->knowledge.same_as(other.version_->knowledge);
}

bool Clock::knows(uint64_t warp, uint32_t lane, uint32_t time, uint32_t since) const {
  if (!version_ || version_->made < since) return false;
  if (version_->knowledge.knows(warp, lane, time)) return true;
  return version_->place != kSettled && version_->history->knows(version_, {warp, lane, time, since});
}

bool Clock::surely_knows(uint64_t warp, uint32_t lane, uint32_t time) const {
  return version_ && version_->knowledge.knows(warp, lane, time);
}

// A settled version that no other clock has.
Knowledge& Clock::own(History& history) {
  if (!version_ || version_->owners > 1) {
    Clock mine(history.add_settled());
    if (version_) mine.version_->knowledge = version_->knowledge;
    *this = std::move(mine);
  }
  version_->made = history.now_;
  version_->accesses = {};  // it is not a row any longer
  return version_->knowledge;
}

void Clock::learn(const Clock& other) {
  Version* const theirs = other.version_;
  if (!theirs || same_as(other)) return;
  if (version_ && version_->history->together_) return own(*version_->history).learn(theirs->knowledge);
  if (!version_ || theirs->one == version_ || theirs->other == version_) return void(*this = other);
  if (version_->one == theirs || version_->other == theirs) return;
  *this = Clock(version_->history->add_joined(version_, theirs));
}

void Clock::learn(History& history, const Accesses& accesses) {
  if (const Remembered* const remembered = history.together_) {
    if (accesses.warps == 1 && accesses.before == 0) {  // usually: one lane
      const Moments* const latest = remembered->of(accesses.first_warp);
      const uint32_t moment = latest ? std::min((*latest)[accesses.lane], accesses.moment) : 0;
      if (!moment || surely_knows(accesses.first_warp, accesses.lane, moment - 1)) return;
    }
    return each_remembered(accesses, *remembered, [&](uint64_t warp, const Moments& moments) {
      if (!version_ || !version_->knowledge.includes(warp, moments)) own(history).learn(warp, moments);
    });
  }
  const bool has_room = version_ && version_->owners == 1 && version_->place != kSettled && !version_->accesses.warps;
  if (!has_room) *this = Clock(history.add(version_, nullptr));
  version_->accesses = accesses;
  version_->made = history.now_;
}

void Clock::learn(History& history, uint64_t warp, const Moments& moments) {
  if (history.together_) {
    const Moments* const latest = history.together_->of(warp);
    if (!latest) return;
    const Moments part = part_of(moments, *latest);
    if (!version_ || !version_->knowledge.includes(warp, part)) own(history).learn(warp, part);
    return;
  }
  Clock row(history.add_settled());
  row.version_->accesses = {warp, 1, 0, 0, 0};
  row.version_->knowledge.learn(warp, moments);
  learn(row);
}

// ---- versions ----

History::History() = default;
History::~History() = default;

Clock::Version* History::add_settled() {
  if (!spare_) {
    Version* const more = memory_.emplace_back(std::make_unique<Version[]>(kMany)).get();
    for (size_t i = 0; i < kMany; ++i) more[i].one = std::exchange(spare_, &more[i]);
  }
  Version* const version = std::exchange(spare_, spare_->one);
  version->one = nullptr;
  version->history = this;
  version->made = now_;
  return version;
}

Clock::Version* History::add(Version* one, Version* other) {
  if (waiting_.size() >= most_waiting_) make_room();
  Version* const version = add_settled();
  version->one = Clock::retain(one);
  version->other = Clock::retain(other);
  if (one) version->knowledge = one->knowledge;
  version->place = static_cast<uint32_t>(waiting_.size());
  waiting_.push_back(version);
  return version;
}

// The next lane often asks for the same. A version that was settled or freed has no second part.
Clock::Version* History::add_joined(Version* one, Version* other) {
  const bool same = latest_ && latest_->one == one && latest_->other == other && !latest_->accesses.warps;
  if (!same) latest_ = add(one, other);
  return latest_;
}

// Without recursion, because a version may be the last owner of a long chain of others.
void History::free(Version* version) {
  doomed_.push_back(version);
  while (!doomed_.empty()) {
    Version* const v = doomed_.back();
    doomed_.pop_back();
    if (v->place != kSettled) waiting_[std::exchange(v->place, kSettled)] = nullptr, ++gaps_;
    for (Version* const part : {v->one, std::exchange(v->other, nullptr)})
      if (part && --part->owners == 0) doomed_.push_back(part);
    v->accesses = {};
    v->knowledge = {};
    v->one = std::exchange(spare_, v);
  }
}

void History::make_room() {
  if (gaps_ >= waiting_.size() / 2) return settle_first(0, nullptr);
  const auto first = std::ranges::find_if(waiting_, [](const Version* version) { return version; });
  std::optional<Remembered> remembered = find_remembered_ ? find_remembered_((*first)->made) : std::nullopt;
  if (!remembered && most_waiting_ < kMostWaiting) return void(most_waiting_ = kMostWaiting);
  if (!remembered) return settle();
  settle_first(waiting_.size() / 4 * 3, &*remembered);
  most_waiting_ = std::clamp(kWaitingForEach * remembered->count(), kFewWaiting, kMostWaiting);
}

size_t History::begin_together(Remembered& remembered) {
  settle_first(waiting_.size(), &remembered);
  Forgetting forgetting(remembered);
  for (const auto& some : memory_)
    for (size_t i = 0; i < kMany; ++i)
      if (some[i].owners) forgetting.in(some[i].knowledge);
  together_ = &remembered;
  return forgetting.met();
}

void History::settle() { settle_first(waiting_.size(), nullptr); }

// The parts of a version are older than itself, so they are settled when its turn comes.
void History::settle_first(size_t count, Remembered* remembered) {
  for (Version* const version : waiting_)
    if (version) version->knowledge = {};
  for (size_t i = 0; i < count; ++i)
    if (Version* const version = waiting_[i]) put_together(*version, remembered);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(count));
  std::erase(waiting_, nullptr);
  for (size_t i = 0; i < waiting_.size(); ++i) {
    Version& version = *waiting_[i];
    version.place = static_cast<uint32_t>(i);
    if (version.one) version.knowledge = version.one->knowledge;
  }
  gaps_ = 0;
  met_ = 0;
}

// If it is the only owner of a part, it takes over that knowledge and changes it in place.
void History::put_together(Version& version, Remembered* remembered) {
  version.place = kSettled;
  Version *first = std::exchange(version.one, nullptr), *second = std::exchange(version.other, nullptr);
  const auto is_row = [](const Version* part) { return part->accesses.warps > 0; };  // of a settled one
  if (second && first->owners > 1 && !(remembered && is_row(second))) std::swap(first, second);
  Knowledge& known = version.knowledge;
  if (first) known = first->owners == 1 ? std::move(first->knowledge) : first->knowledge;
  const Accesses accesses = std::exchange(version.accesses, {});
  if (!remembered) {
    if (second) known.learn(second->knowledge);
    known.learn(accesses);
  } else {
    remembered->pass_to(version.made);
    const auto learn = [&](uint64_t warp, const Moments& moments) { known.learn(warp, moments); };
    if (second && is_row(second))
      each_remembered(second->knowledge, second->accesses.first_warp, *remembered, learn);
    else if (second)
      known.learn(second->knowledge);
    each_remembered(accesses, *remembered, learn);
  }
  for (Version* const part : {first, second})
    if (part) Clock::drop(part);
}

bool History::knows(Version* version, const Question& asked) {
  if (at_once_ == 0) {
    if (met_ <= kPatience * waiting())
      if (const std::optional<bool> found = look(version, asked)) return *found;
    at_once_ = kAtOnce;
  } else {
    --at_once_;
  }
  settle();
  return version->knowledge.knows(asked.warp, asked.lane, asked.time);
}

// Looks through the versions, the latest first. No answer: there are too many.
std::optional<bool> History::look(Version* version, const Question& asked) {
  std::array<Version*, kMostMet> met;
  size_t count = 0;
  begin_question();
  const auto meet = [&](Version* part) {
    if (part && part->made >= asked.since && std::exchange(part->question, question_) != question_) met[count++] = part;
  };
  meet(version);
  const Knowledge* seen = &version->knowledge;  // Clock::knows() has looked there
  for (size_t i = 0; i < count; ++i, ++met_) {
    const Version& v = *met[i];
    if (v.accesses.include(asked.warp, asked.lane, asked.time)) return true;
    if (!v.knowledge.same_as(*std::exchange(seen, &v.knowledge)) &&
        v.knowledge.knows(asked.warp, asked.lane, asked.time))
      return true;
    if (count + 2 > kMostMet) return {};
    meet(v.other);
    meet(v.one);
  }
  return false;
}

void History::begin_question() {
  if (++question_ != 0) return;
  question_ = 1;
  for (const auto& some : memory_)
    for (size_t i = 0; i < kMany; ++i) some[i].question = 0;
}

}  // namespace lockstep
