#include "grader/judge/trial/events.h"

#include <fcntl.h>
#include <unistd.h>

#include "grader/judge/base/failure.h"
#include "grader/judge/base/json.h"
#include "grader/judge/base/text.h"

namespace warpladder {

// No program that we start may write there.
Events::Events(int descriptor) : descriptor_(descriptor) {
  if (descriptor_ >= 0 && fcntl(descriptor_, F_SETFD, FD_CLOEXEC) != 0)
    throw JudgeFault(
        message("--events {number}: is not open. Give the number of an open descriptor.", {{"number", descriptor_}}));
}

void Events::compiled() const { tell(Json{{"event", "compiled"}}.dump()); }

void Events::ran_case(const CaseResult& one, const Result& so_far) const {
  Json json = {{"event", "case"},
               {"passed", one.passed},
               {"cases_passed", so_far.public_cases().passed + so_far.hidden_cases().passed},
               {"cases_planned", so_far.planned_cases}};
  if (!one.passed && !one.is_hidden() && so_far.failure) {
    json["case"] = so_far.failed_case;
    json["check"] = so_far.failure->check;
    for (const Message& step : so_far.failure->steps) json["steps"].push_back(step);
  }
  tell(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

// A reader that has gone is no reason to stop: the verdict is made all the same.
void Events::tell(const std::string& line) const {
  if (descriptor_ < 0) return;
  const std::string whole = line + "\n";
  for (size_t done = 0; done < whole.size();) {
    const ssize_t wrote = write(descriptor_, whole.data() + done, whole.size() - done);
    if (wrote <= 0) return;
    done += static_cast<size_t>(wrote);
  }
}

}  // namespace warpladder
