// The rooms of grader/judge: each file lies in one, and no #include runs backward or in a circle.
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "grader/tests/includes.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

const std::vector<std::string_view> kRooms = {
    "base",      // plain values: bytes, numbers, JSON; a Failure of the learner's, a JudgeFault of ours
    "sandbox",   // one process of foreign code: started, limited, walled in, ended
    "contract",  // a contract's functions, inputs, oracle, tolerance, baseline
    "lab",       // lab.json and build.json
    "cases",     // the calls by which a lab is judged, public and hidden
    "compile",   // a learner's file → a binary
    "run",       // a binary at work: jobs in, answers or a failure out; lockstep's device beside it
    "rules",     // lockstep's report → counters, findings, whether the rules hold
    "speed",     // times, measured or modelled → speedups and thresholds
    "verdict",   // the result: data, score, text, JSON
    "trial",     // a whole judgement: options, plan, runners, ledger, main
};

TEST(JudgeRooms, EveryFileLiesInARoomAndNoArrowRunsBackward) {
  for (const std::string& violation : testing::violations("grader/judge", "grader/judge/", kRooms))
    ADD_FAILURE() << violation;
}

// The same check of a small house with one fault of each kind.
TEST(JudgeRooms, TheCheckFindsAFileInNoRoomAnEmptyRoomAnArrowBackwardAndACircle) {
  const TemporaryFolder folder;
  const std::string house = folder.path();
  testing::write_file(house + "/astray.h", "");
  testing::write_file(house + "/below/low.h", "#pragma once\n#include \"house/above/high.h\"\n");
  testing::write_file(house + "/above/high.h", "#include \"house/below/low.h\"\n#include <vector>\n");
  const std::vector<std::string> want = {house + "/astray.h: lies in no room", house + "/empty: has no file",
                                         house + "/below/low.h:2: includes house/above/high.h: an arrow backward",
                                         "a circle: above/high.h → below/low.h → above/high.h"};
  EXPECT_EQ(testing::violations(house, "house/", {"below", "above", "empty"}), want);
}

}  // namespace
}  // namespace warpladder
