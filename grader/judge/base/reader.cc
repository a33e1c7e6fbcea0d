#include "grader/judge/base/reader.h"

#include <concepts>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <utility>

#include "grader/judge/base/failure.h"
#include "grader/judge/base/json.h"

namespace warpladder {

Reader::Reader(std::shared_ptr<const Json> object, Message place, const char* guide)
    : object_(std::move(object)), place_(std::move(place)), guide_(guide) {
  if (!object_->is_object()) fail(message("must be an object"));
}

Reader::Reader(const Json& object, Message place, const char* guide)
    : Reader(std::shared_ptr<const Json>(std::shared_ptr<const Json>(), &object), std::move(place), guide) {}

Reader Reader::of_file(const std::filesystem::path& file, const Message& next_step) {
  std::ifstream stream(file);
  if (!stream)
    throw JudgeFault(message("{file}: cannot be read. {next}", {{"file", file.string()}, {"next", next_step}}));
  return of_text({std::istreambuf_iterator<char>(stream), {}}, file.string());
}

Reader Reader::of_text(const std::string& text, const std::string& place) {
  try {
    return {std::make_shared<const Json>(Json::parse(text)), Message(place), "docs/labs.md"};
  } catch (const Json::exception& error) {
    throw JudgeFault(
        message("{place}: is no JSON: {reason}", {{"place", place}, {"reason", std::string(error.what())}}));
  }
}

template <class T>
T Reader::get(const char* key) {
  require(key);
  return convert<T>(key);
}

template <class T>
T Reader::get(const char* key, T otherwise) {
  seen_.insert(key);
  return object_->contains(key) ? convert<T>(key) : std::move(otherwise);
}

template <class T>
T Reader::convert(const char* key) const {
  const Json& value = (*object_)[key];
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {  // Json::get() would cut the number down to the size of T
    const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.get<uint64_t>())
                      : value.is_number_integer() ? std::in_range<T>(value.get<int64_t>())
                                                  : false;
    if (!fits)
      fail(message("has a \"{key}\" that is no whole number, or one out of range", {{"key", std::string(key)}}));
  }
  try {
    return value.get<T>();
  } catch (const Json::exception&) { fail(message("has a \"{key}\" of the wrong type", {{"key", std::string(key)}})); }
}

#define WARPLADDER_READS(...)                        \
  template __VA_ARGS__ Reader::get(const char* key); \
  template __VA_ARGS__ Reader::get(const char* key, __VA_ARGS__ otherwise);
WARPLADDER_READS(std::string)
WARPLADDER_READS(bool)
WARPLADDER_READS(double)
WARPLADDER_READS(int)
WARPLADDER_READS(size_t)
WARPLADDER_READS(std::vector<std::string>)
WARPLADDER_READS(std::vector<int>)

std::optional<double> Reader::get_figure(const char* key) {
  const Json& figure = require(key);
  if (figure.is_null()) return std::nullopt;
  if (!figure.is_number()) fail(message("has a \"starter\" or \"reference\" that is neither a number nor null"));
  return figure.get<double>();
}

const Json& Reader::require(const char* key) {
  seen_.insert(key);
  if (!object_->contains(key)) fail(message("has no \"{key}\"", {{"key", std::string(key)}}));
  return (*object_)[key];
}

bool Reader::has(const char* key) {
  seen_.insert(key);
  return object_->contains(key) && !(*object_)[key].is_null();
}

Reader Reader::object(const char* key) {
  static const Json kNone;
  const Json& found = has(key) ? (*object_)[key] : kNone;
  const Message place = message("{place}: {part}", {{"place", place_}, {"part", "\"" + std::string(key) + "\""}});
  return {std::shared_ptr<const Json>(object_, &found), place, guide_};
}

std::vector<Reader> Reader::list(const char* key, const char* form) {
  std::vector<Reader> items;
  if (!has(key)) return items;
  for (const Json& item : (*object_)[key]) {
    const Message part = message(form, {{"number", items.size() + 1}});
    const Message place = message("{place}: {part}", {{"place", place_}, {"part", part}});
    items.push_back(Reader(std::shared_ptr<const Json>(object_, &item), place, guide_));
  }
  return items;
}

void Reader::finish() const {
  for (const auto& [key, value] : object_->items()) {
    if (!seen_.contains(key)) fail(message("has an unknown key \"{key}\"", {{"key", key}}));
  }
}

void Reader::fail(const Message& what) const {
  throw JudgeFault(message("{place} {what}. {guide} lists the keys.",
                           {{"place", place_}, {"what", what}, {"guide", std::string(guide_)}}));
}

}  // namespace warpladder
