// verdict_json: Result → JSON, as verdict.schema.json describes it.
#include "grader/judge/verdict/verdict.h"

#include "grader/judge/base/json.h"
#include "grader/judge/base/text.h"

namespace warpladder {

// The library finds these by the type, also for a vector of it.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Crossing, to_host, from_host)

void to_json(Json& json, const Part& part) {
  // In the order of Part::Kind.
  static constexpr const char* kKinds[] = {"line", "folded", "first", "step", "printed", "table"};
  json = {{"kind", kKinds[static_cast<size_t>(part.kind)]}, {"indent", part.indent}, {"text", part.text}};
  if (!part.word.empty()) json["word"] = part.word;
  if (!part.rows.empty()) json["rows"] = part.rows;
}

void to_json(Json& json, const ScorePart& part) {
  json = {{"name", part.name}, {"points", part.points}, {"of", part.of}, {"why", part.why.text()}};
}

void to_json(Json& json, const RuleResult& result) {
  const char* state = !result.measured ? "not measured on this device" : result.holds ? "pass" : "broken";
  Json line = nullptr;
  if (result.line) line = {{"place", result.line->place}, {"share", result.line->share}};
  json = {{"name", result.rule.name},
          {"line", line},
          {"counter", result.rule.counter},
          {"words", result.words},
          {"per", result.rule.per},
          {"each", result.rule.each},
          {"op", result.rule.op},
          {"limit", result.rule.value},
          {"value", result.measured ? Json(*result.measured) : Json(nullptr)},
          {"input", result.input},
          {"verdict", state},
          {"why", result.rule.why}};
}

void to_json(Json& json, const Fact& fact) {
  json = {{"name", fact.name}, {"arguments", fact.arguments}, {"text", text_of(fact).text()}};
}

void to_json(Json& json, const Mismatch& wrong) {
  json = {{"where", wrong.where.text()},
          {"got", wrong.got == kKept ? Json(nullptr) : Json(wrong.got.text())},
          {"want", wrong.want.text()},
          {"first", wrong.first},
          {"wrong", wrong.wrong},
          {"of", wrong.of},
          {"place", wrong.place ? Json(*wrong.place) : Json(nullptr)},
          {"value", wrong.value ? Json(*wrong.value) : Json(nullptr)},
          {"rows", Json::array()},
          {"wrong_columns", wrong.table.wrong}};
  for (const Table::Row& row : wrong.table.rows) json["rows"].push_back({{"name", row.name}, {"cells", row.cells}});
}

void to_json(Json& json, const Measurement& one) {
  json = {{"name", one.name}, {"input", one.input}, {"n", one.n}, {"counters", one.counters}, {"crossing", nullptr}};
  if (one.crossing) json["crossing"] = {{"bytes", *one.crossing}, {"allowed", one.allowed}};
}

void to_json(Json& json, const CaseResult& one) {
  const char* verdict = one.passed ? "pass" : "fail";
  if (one.is_hidden()) {
    json = {{"name", one.alias},
            {"hidden", true},
            {"verdict", verdict},
            {"instructor",
             {{"name", one.name}, {"input", one.input}, {"n", one.n}, {"block", one.block}, {"seed", one.seed}}}};
  } else {
    json = {{"name", one.name}, {"input", one.input}, {"n", one.n}, {"hidden", false}, {"verdict", verdict}};
  }
}

void to_json(Json& json, const ThresholdResult& one) {
  json = {{"speedup", one.threshold.speedup},
          {"points", one.threshold.points},
          {"why", one.threshold.why},
          {"verdict", name_of(one.verdict)}};
}

namespace {

constexpr int kJsonFormat = 3;  // it changes when a key changes its meaning or goes

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }
Json or_null(const Message& text) { return text.empty() ? Json(nullptr) : Json(text.text()); }
Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json ratio(const std::optional<double>& over, const std::optional<double>& under) {
  return over && under && *under > 0 ? Json(*over / *under) : Json(nullptr);
}

Json score_json(const Result& result) {
  const std::optional<Score> score = score_of(result);
  if (!score) return nullptr;
  return {{"points", score->points}, {"of", kMostPoints}, {"parts", score->parts}};
}

Json time_json(const Result& result) {
  const Speed& speed = result.speed;
  return {{"ms", or_null(speed.measured.ms)},
          {"whole_ms", or_null(speed.measured.whole_ms)},
          {"measured", speed.measured.ms.has_value()},
          {"runs", speed.measured.runs},
          {"what", speed.what.text()},
          {"reason", or_null(speed.reason)},
          {"baseline", result.setting.baseline},
          {"baseline_ms", or_null(speed.measured.baseline_ms)},
          {"speedup_over_serial_cpu", ratio(speed.cpu.serial_ms, speed.measured.ms)},
          {"speedup_over_parallel_cpu", ratio(speed.cpu.parallel_ms, speed.measured.ms)}};
}

Json failure_json(const Result& result, const std::string& command) {
  if (!result.failure) return nullptr;
  const Failure& failure = *result.failure;
  const std::string more = failure.more_printed.text(), printed = failure.printed + (more.empty() ? "" : more + "\n");
  Json json = {{"steps", texts(failure.steps)},
               {"next", failure.next_step.text()},
               {"printed", printed},
               {"again", again_text(result, command)},
               {"case", result.failed_case},
               {"schedule", result.failed_schedule},
               {"advice", or_null(failure.advice)},
               {"mismatch", nullptr}};
  if (failure.mismatch) json["mismatch"] = *failure.mismatch;
  if (failure.instructor) {
    const Failure::Secret& secret = *failure.instructor;
    json["instructor"] = {{"case", secret.case_name},
                          {"check", secret.check},
                          {"steps", texts(secret.steps)},
                          {"printed", secret.printed}};
  }
  return json;
}

Json speed_json(const Speed& speed) {
  Json modelled = Json::object();
  for (const ModelledTime& time : speed.modelled)
    modelled[time.card] = {{"ms", time.ms}, {"baseline_ms", or_null(time.baseline_ms)}};
  const bool has_share = speed.measured.gb_per_s && speed.measured.copy_gb_per_s;
  return {{"verdict", name_of(speed.verdict)},
          {"kind", or_null(speed.kind)},
          {"card", or_null(speed.card)},
          {"speedup", or_null(speed.speedup)},
          {"interval", speed.interval ? Json{speed.interval->low, speed.interval->high} : Json(nullptr)},
          {"thresholds", speed.thresholds},
          {"reason", or_null(speed.reason)},
          {"advice", or_null(speed.advice)},
          {"ms", or_null(speed.measured.ms)},
          {"baseline_ms", or_null(speed.measured.baseline_ms)},
          {"baseline_alone_ms", or_null(speed.measured.baseline_alone_ms)},
          {"gb_per_s", or_null(speed.measured.gb_per_s)},
          {"copy_gb_per_s", or_null(speed.measured.copy_gb_per_s)},
          {"share_of_copy", has_share ? Json(*speed.measured.gb_per_s / *speed.measured.copy_gb_per_s) : Json(nullptr)},
          {"pairs", speed.measured.runs},
          {"seconds", speed.measured.seconds},
          {"what", or_null(speed.what)},
          {"modelled", std::move(modelled)}};
}

// Every text in it becomes what people may see, because readers of the JSON print it, too.
void show_texts(Json& json) {
  if (json.is_string()) json = visible(json.get_ref<const std::string&>());
  if (!json.is_structured()) return;
  for (Json& inside : json) show_texts(inside);
}

}  // namespace

namespace {
std::string as_text(Json json) {
  show_texts(json);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}
}  // namespace

std::string to_json(const Result& result, const std::string& command) {
  Json json = {
      {"judge", {{"format", kJsonFormat}, {"version", judge_version()}}},
      {"sandbox",
       {{"compile", or_null(result.setting.sandbox.compile)},
        {"run", or_null(result.setting.sandbox.run)},
        {"device", or_null(result.setting.sandbox.device)}}},
      {"lab", result.setting.lab},
      {"file", result.setting.file},
      {"device", result.setting.device},
      {"opencl_device", or_null(result.opencl_device)},
      {"seed", result.setting.seed},
      {"thorough", result.setting.is_thorough},
      {"verdict", name_of(result.verdict())},
      {"score", score_json(result)},
      {"failed_check", result.failure ? Json(result.failure->check) : Json(nullptr)},
      {"failure", failure_json(result, command)},
      {"page", page_of(result, command)},
      {"compiler_warnings", texts(result.warnings)},
      {"cases", result.cases},
      {"cases_passed", result.public_cases().passed + result.hidden_cases().passed},
      {"cases_planned", result.planned_cases},
      {"hidden_passed", result.hidden_cases().passed},
      {"hidden_planned", result.planned_hidden},
      {"rules", result.rules},
      {"time", time_json(result)},
      {"speed", speed_json(result.speed)},
      {"counters", result.measurements.empty() ? Json::object() : Json(result.measurements.front().counters)},
      {"measurements", result.measurements},
      {"serial_cpu",
       {{"ms", or_null(result.speed.cpu.serial_ms)}, {"what", "a plain loop on one core, measured by the judge"}}},
      {"parallel_cpu",
       {{"ms", or_null(result.speed.cpu.parallel_ms)}, {"what", result.speed.cpu.parallel_what.text()}}}};
  if (result.own_file && (result.own_file->histogram || result.own_file->words)) {
    if (result.own_file->histogram) json["histogram"] = *result.own_file->histogram;
    if (result.own_file->wanted) json["histogram_wanted"] = *result.own_file->wanted;
    if (result.own_file->words) json["words"] = *result.own_file->words;
    json["input"] = {{"file", result.own_file->name}, {"bytes", result.own_file->bytes}};
  }
  return as_text(std::move(json));
}

std::string to_json(const Page& page) { return as_text(page); }

}  // namespace warpladder
