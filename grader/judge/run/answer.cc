#include "grader/judge/run/answer.h"

#include <algorithm>

#include "grader/judge/base/json.h"
#include "grader/judge/run/advice.h"
#include "grader/judge/run/process_failure.h"

namespace warpladder {
namespace {

constexpr size_t kLongestName = 200;  // of an OpenCL device

Failure wrong_answer(const Mismatch& wrong, const Job& job) {
  const Advice advice = advice_for(wrong, job.one_case);
  Failure failure{Verdict::kWrongAnswer, "case." + job.one_case.name, lines_of(wrong), advice.text, ""};
  failure.mismatch = wrong;
  failure.advice = advice.name;
  return failure;
}

Failure answer_of_the_host() {
  return make_failure(Verdict::kRuleBroken, "work.input",
                      message("the kernels got other numbers than the host, and the answer is the one for the host's "
                              "numbers"),
                      message("The work must be done on the device: copy the arrays there as they are, let kernels "
                              "compute the output from them, and copy it back."));
}

// The distance from `at` of the first byte that has changed in the guard band there. Nothing: none has.
std::optional<size_t> first_broken(View result, size_t at, size_t guard) {
  for (size_t i = 0; i < guard; ++i) {
    if (result[at + i] != static_cast<std::byte>(guard_byte(i))) return i;
  }
  return std::nullopt;
}

Timing timing_in(const Json& reply) {
  const auto time = [&](const char* key) {
    return reply.contains(key) && reply[key].is_number() ? reply[key].get<double>() : std::optional<double>();
  };
  return {time("device_ms"), time("events_ms"), time("copy_gb_per_s").value_or(0)};
}

}  // namespace

std::optional<Failure> inspect(const Job& job, const CameBack& back, Answered& answered) {
  const EntryInfo& entry = *job.one_case.entry;
  const Json reply = Json::parse(back.line, nullptr, false);
  if (job.lab.is_opencl() && reply.is_object() && reply.contains("opencl_device") && reply["opencl_device"].is_string())
    answered.opencl_device = reply["opencl_device"].get<std::string>().substr(0, kLongestName);
  if (!reply.is_object() || reply.value("status", Json()) != "ok" || reply.value("id", Json()) != job.id ||
      !reply.value("value", Json()).is_number_integer())
    return refused_failure(back.line, back.errors);
  answered.timing = timing_in(reply);
  if (const auto what = broken_guard(back.result, job.layout, entry.element_bytes, sizeof(uint32_t))) {
    return make_failure(Verdict::kRuntimeError, "guard", *what,
                        message("A thread wrote outside an array: compare the guard of each access with n."));
  }
  if (entry.const_input) {
    const View now = back.result.subspan(job.layout.in_data(), job.layout.in_bytes);
    if (const auto what = changed_input(back.input, now, entry.element_bytes))
      return make_failure(Verdict::kWrongAnswer, "const", *what,
                          message("Write to the output, or to memory of your own."));
  }
  answered.output = back.result.subspan(job.layout.out_data(), job.layout.out_bytes);
  const auto wrong = entry.code.check(entry.name, back.seen, {answered.output, reply["value"].get<int64_t>()});
  if (!wrong) return std::nullopt;
  const bool is_hosts = back.seen.data() != back.input.data() &&
                        !entry.code.check(entry.name, back.input, {answered.output, reply["value"].get<int64_t>()});
  return is_hosts ? answer_of_the_host() : wrong_answer(*wrong, job);
}

std::optional<Failure> compare_shown(const Shown& shown, View output, const std::string& line) {
  Json words = Json::array();
  for (const size_t at : shown.asked) words.push_back(element<uint32_t>(output, at / sizeof(uint32_t)));
  const Json told = Json::parse(shown.line, nullptr, false);
  if (told.is_object() && told.value("words", Json()) == words &&
      told.value("value", Json()) == Json::parse(line)["value"])
    return std::nullopt;
  return protocol_failure(message("the answer is not what was there when the call was said to have ended"));
}

std::optional<Message> broken_guard(View result, const ResultLayout& layout, size_t in_element, size_t out_element) {
  struct Band {
    bool is_input;
    size_t start, bytes, element;
  };
  const Band arrays[] = {{true, layout.in_guarded(), layout.in_bytes, in_element},
                         {false, layout.out_guarded(), layout.out_bytes, out_element}};
  for (const Band& array : arrays) {
    if (const auto at = first_broken(result, array.start, layout.guard)) {
      const Message::Arguments bytes = {{"bytes", layout.guard - *at}};
      return array.is_input ? message("{bytes} bytes before the first element of the input were overwritten", bytes)
                            : message("{bytes} bytes before the first element of the output were overwritten", bytes);
    }
    if (const auto at = first_broken(result, array.start + layout.guard + array.bytes, layout.guard)) {
      const Message::Arguments place = {{"i", (array.bytes + *at) / array.element},
                                        {"count", array.bytes / array.element}};
      return array.is_input ? message("element {i} of the input was written, which has {count}", place)
                            : message("element {i} of the output was written, which has {count}", place);
    }
  }
  return std::nullopt;
}

std::optional<Message> changed_input(View before, View after, size_t element_bytes) {
  if (before.empty() || std::memcmp(before.data(), after.data(), before.size()) == 0) return std::nullopt;
  const auto [was, is] = std::ranges::mismatch(before, after);
  const auto at = static_cast<size_t>(was - before.begin()) / element_bytes;
  return message("element {i} of the input was changed, which the contract declares const", {{"i", at}});
}

}  // namespace warpladder
