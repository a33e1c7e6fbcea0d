#include "grader/judge/base/json.h"

namespace warpladder {

void to_json(Json& json, const Message& text) {
  if (!text.is_words()) {
    json = text.text();
    return;
  }
  json = {{"form", text.form}, {"arguments", Json::object()}};
  for (const auto& [key, value] : text.arguments) json["arguments"][key] = value;
  if (text.columns > 0) json["columns"] = text.columns;
  if (text.is_sentence) json["sentence"] = true;
}

}  // namespace warpladder
