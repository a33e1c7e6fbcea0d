// streams_test: the order of the host and its streams: which earlier work may run beside the present work, and which
// work has ended for the host.
#include "runtime/streams.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace lockstep::runtime {
namespace {

constexpr uint32_t kA = 3, kB = 4, kC = 5;

struct Streams : testing::Test {
  StreamOrder order;
  Task last;
  void SetUp() override {
    for (const uint32_t stream : {kA, kB, kC}) order.add_stream(stream, false);
  }
  uint64_t work(uint32_t stream) {
    last = {};
    order.issue(stream, last);
    return last.number;
  }
  // The unfinished work beside the last: streams, and the number from which on it is unfinished.
  std::vector<std::pair<uint32_t, uint64_t>> beside() const {
    std::vector<std::pair<uint32_t, uint64_t>> all;
    for (const Task::Beside& b : last.beside) all.emplace_back(b.stream, b.after + 1);
    return all;
  }
};
using Beside = std::vector<std::pair<uint32_t, uint64_t>>;

TEST_F(Streams, OneStreamIsInOrder) {
  work(kA), work(kA);
  EXPECT_EQ(beside(), Beside{});
  EXPECT_EQ(last.number, 2);
  EXPECT_EQ(last.settled, 0) << "the host knows nothing";
}

TEST_F(Streams, TwoStreamsAreNot) {
  work(kA), work(kB);
  EXPECT_EQ(beside(), (Beside{{kA, 1}}));
}

TEST_F(Streams, AnEventOrdersWhatCameBeforeIt) {
  work(kA);
  const Clock event = order.record(kA);
  work(kA);
  order.stream_waits(kB, event);
  work(kB);
  EXPECT_EQ(beside(), (Beside{{kA, 2}})) << "the second came behind the event";
}

TEST_F(Streams, EventsPassOnWhatTheirStreamKnows) {
  work(kA);
  order.stream_waits(kB, order.record(kA));
  work(kB);
  order.stream_waits(kC, order.record(kB));
  work(kC);
  EXPECT_EQ(beside(), Beside{});
  order.host_waits(kC);
  EXPECT_TRUE(order.has_ended(kA, 1) && order.has_ended(kB, 2) && order.has_ended(kC, 3));
}

TEST_F(Streams, AnEventKeepsItsMoment) {
  const Clock before = order.record(kA);
  work(kA);
  order.host_learns(before);
  EXPECT_FALSE(order.has_ended(kA, 1));
  order.host_learns(order.record(kA));
  EXPECT_TRUE(order.has_ended(kA, 1));
}

TEST_F(Streams, WhatTheHostHasWaitedForIsBeforeEverythingNew) {
  work(kA);
  order.host_waits(kA);
  work(kB);
  EXPECT_EQ(beside(), Beside{});
  EXPECT_EQ(last.settled, 1);
  work(kA);
  EXPECT_EQ(beside(), (Beside{{kB, 2}}));
  order.host_waits_for_all();
  EXPECT_TRUE(order.has_ended(kA, 3) && order.has_ended(kB, 2));
  work(kC);
  EXPECT_EQ(last.settled, 3);
}

TEST_F(Streams, TheLegacyStreamWaitsForBlockingStreamsAndTheyForIt) {
  constexpr uint32_t kBlocking = 9, kOther = 10;
  order.add_stream(kBlocking, true);
  order.add_stream(kOther, true);
  work(kBlocking), work(kA);
  work(kLegacyStream);
  EXPECT_EQ(beside(), (Beside{{kA, 2}})) << "not for one that does not block";
  work(kOther);
  EXPECT_EQ(beside(), (Beside{{kA, 2}})) << "behind the legacy stream, and so behind the first";
  work(kA);
  EXPECT_EQ(beside(), (Beside{{kLegacyStream, 3}, {kBlocking, 1}, {kOther, 4}}));
  order.host_waits(kLegacyStream);
  EXPECT_TRUE(order.has_ended(kBlocking, 1) && order.has_ended(kOther, 4));
  EXPECT_FALSE(order.has_ended(kA, 2));
}

TEST_F(Streams, ABlockingStreamWaitsOnlyForWhatTheLegacyStreamHasSoFar) {
  constexpr uint32_t kBlocking = 9;
  order.add_stream(kBlocking, true);
  work(kBlocking);
  work(kLegacyStream);
  EXPECT_EQ(beside(), Beside{});
  order.host_waits(kBlocking);
  EXPECT_TRUE(order.has_ended(kBlocking, 1));
}

TEST_F(Streams, AStreamThatWasDestroyedGoesOn) {
  work(kA);
  order.end_stream(kA);
  work(kB);
  EXPECT_EQ(beside(), (Beside{{kA, 1}}));
  order.host_waits_for_all();
  work(kB);
  EXPECT_EQ(beside(), Beside{});
  EXPECT_TRUE(order.has_ended(kA, 1));
}

}  // namespace
}  // namespace lockstep::runtime
