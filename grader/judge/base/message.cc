#include "grader/judge/base/message.h"

#include <algorithm>

#include "grader/judge/base/text.h"

namespace warpladder {

Message message(std::string_view form, Message::Arguments arguments) {
  Message words{std::string(form)};
  words.arguments = std::move(arguments);
  words.is_words_ = true;
  return words;
}

// An argument's own text is never read as a form.
std::string Message::text() const {
  std::string whole = is_words_ ? filled() : form;
  if (is_sentence) whole = capitalised(std::move(whole));
  return whole + std::string(columns - std::min(columns, width_of(whole)), ' ');
}

std::string Message::filled() const {
  std::string text;
  for (size_t at = 0; at < form.size();) {
    const size_t open = form.find('{', at), close = form.find('}', open);
    text += form.substr(at, open - at);
    if (close == std::string::npos) return text + (open == std::string::npos ? "" : form.substr(open));
    const std::string key = form.substr(open + 1, close - open - 1);
    const auto argument = std::ranges::find(arguments, key, [](const auto& entry) { return entry.first; });
    text += argument == arguments.end() ? form.substr(open, close + 1 - open) : argument->second.text();
    at = close + 1;
  }
  return text;
}

Message together(const std::vector<Message>& parts, const std::string& separator) {
  Message all = message({});
  for (const Message& part : parts) {
    const std::string key = std::to_string(all.arguments.size());
    all.form += (all.form.empty() ? "" : separator) + "{" + key + "}";
    all.arguments.emplace_back(key, part);
  }
  return all;
}

Message either(std::vector<std::string> names) {
  const std::string last = names.empty() ? "" : names.back();
  if (names.size() < 2) return last;
  names.pop_back();
  return message("{names} or {last}", {{"names", together({names.begin(), names.end()}, ", ")}, {"last", last}});
}

std::vector<std::string> texts(const std::vector<Message>& messages) {
  std::vector<std::string> all;
  for (const Message& one : messages) all.push_back(one.text());
  return all;
}

}  // namespace warpladder
