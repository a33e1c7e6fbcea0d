// events: tells a program that watches what a judgement has come to, while it still runs: one line of JSON each.
//
//   {"event": "compiled"}
//   {"event": "case", "passed": true, "cases_passed": 12, "cases_planned": 48}
//   {"event": "case", "passed": false, …, "case": "reduce_sum.33.ones", "check": "case.…", "steps": ["…"]}
//
// A failed case comes with the failure that counts so far; the verdict may name another cause. A hidden case has no
// name here.
#pragma once

#include "grader/judge/verdict/verdict.h"

namespace warpladder {

class Events {
 public:
  explicit Events(int descriptor);  // -1: nobody watches

  void compiled() const;
  void ran_case(const CaseResult& one, const Result& so_far) const;

 private:
  void tell(const std::string& line) const;

  int descriptor_;
};

}  // namespace warpladder
