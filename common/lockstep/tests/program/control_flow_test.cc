// control_flow_test: where the sides of branches meet again, on small graphs worked out by hand.
#include "program/control_flow.h"
#include "base/words.h"

#include <gtest/gtest.h>

#include "program/instruction.h"
#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace lockstep {
namespace {

// The function's statements, and for each branch the label or opcode at which its sides meet.
std::vector<std::string> meetings(const std::string& body) {
  const Module m = parse(".version 9.0\n.target sm_75\n.visible .entry k()\n{\n.reg .pred %p<4>; .reg .b32 %r<4>;\n" +
                         body + "\n}\n");
  const Function& f = m.functions[0];
  const auto points = reconvergence_points(f);
  std::vector<std::string> result;
  for (size_t i = 0; i < f.body.size(); ++i) {
    if (f.body[i].opcode() != "bra" && f.body[i].opcode() != "brx") continue;
    const uint32_t at = points[i];
    result.push_back(at == kNowhere ? "nowhere" : f.body[at].label.empty() ? f.body[at].opcode() : f.body[at].label);
  }
  return result;
}

using Strings = std::vector<std::string>;

// The labels, or opcodes, at which lanes may meet early.
Strings early(const std::string& body) {
  const Module m = parse(".version 9.0\n.target sm_75\n.visible .entry k()\n{\n.reg .pred %p<4>; .reg .b32 %r<4>;\n" +
                         body + "\n}\n");
  const Function& f = m.functions[0];
  const std::vector<bool> found = early_meetings(f);
  Strings result;
  for (size_t i = 0; i < f.body.size(); ++i)
    if (found[i]) result.push_back(f.body[i].label.empty() ? f.body[i].opcode() : f.body[i].label);
  return result;
}

TEST(ControlFlow, IfMeetsBehindItsBody) {
  EXPECT_EQ(meetings("@%p1 bra A;\nmov.b32 %r1, 1;\nA:\nret;"), (Strings{"A"}));
}

TEST(ControlFlow, IfElseMeetsBehindBoth) {
  EXPECT_EQ(meetings("@%p1 bra A;\nmov.b32 %r1, 1;\nbra.uni B;\nA:\nmov.b32 %r1, 2;\nB:\nret;"), (Strings{"B", "B"}));
}

TEST(ControlFlow, LoopMeetsAtItsExit) {
  EXPECT_EQ(meetings("L:\nmov.b32 %r1, 1;\n@%p1 bra L;\nmov.b32 %r2, 1;\nret;"), (Strings{"mov"}));
}

TEST(ControlFlow, BreakAndContinueMeetWhereTheLoopDoes) {
  EXPECT_EQ(meetings("L:\n@%p1 bra OUT;\n@%p2 bra L;\nmov.b32 %r1, 1;\n@%p3 bra L;\nOUT:\nret;"),
            (Strings{"OUT", "OUT", "OUT"}));
}

TEST(ControlFlow, SidesThatBothLeaveMeetNowhere) {
  EXPECT_EQ(meetings("@%p1 bra A;\nret;\nA:\nexit;"), (Strings{"nowhere"}));
}

TEST(ControlFlow, AGuardedExitIsAWayOut) {
  EXPECT_EQ(meetings("@%p1 bra A;\n@%p2 exit;\nA:\nret;"), (Strings{"nowhere"}));
}

TEST(ControlFlow, AnEndlessLoopMeetsNowhere) {
  EXPECT_EQ(meetings("L:\n@%p1 bra L;\nbra.uni L;"), (Strings{"nowhere", "nowhere"}));
}

TEST(ControlFlow, ATableMeetsBehindItsCases) {
  EXPECT_EQ(
      meetings(
          "T: .branchtargets A, B, C;\nbrx.idx %r1, T;\nA:\nbra.uni D;\nB:\nbra.uni D;\nC:\nmov.b32 %r2, 1;\nD:\nret;"),
      (Strings{"D", "D", "D"}));
}

TEST(ControlFlow, LanesMeetEarlyInOneSideOfAnOr) {
  EXPECT_EQ(early("@%p1 bra A;\n@%p2 bra B;\nA:\nmov.b32 %r1, 1;\nB:\nret;"), Strings{"A"});
  EXPECT_EQ(early("@%p1 bra A;\nmov.b32 %r1, 1;\nA:\nmov.b32 %r1, 2;\nret;"), Strings{}) << "all of them meet";
}

TEST(ControlFlow, LanesLeaveALoopWithTwoExitsInDifferentTurns) {
  EXPECT_EQ(early("L:\n@%p1 bra A;\n@%p2 bra L;\nbra.uni B;\nA:\nmov.b32 %r1, 1;\nB:\nret;"), Strings{"A"});
  EXPECT_EQ(early("L:\n@%p1 bra A;\n@%p2 bra L;\nA:\nret;"), Strings{}) << "both lead to one place";
}

TEST(ControlFlow, AMissingLabelIsNamed) {
  try {
    meetings("bra NOWHERE;");
    FAIL();
  } catch (const PtxError& error) { EXPECT_NE(plain(error.what()).find("NOWHERE"), std::string::npos); }
}

}  // namespace
}  // namespace lockstep
