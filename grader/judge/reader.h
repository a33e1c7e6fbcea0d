// reader: one object of a JSON file that a person wrote → values, with errors that name the file, the place in it and
// where its keys are explained.
#pragma once

#include <concepts>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "grader/judge/json.h"
#include "grader/judge/lab.h"

namespace warpladder {

// Reads the keys of one object and then refuses those that nobody asked for.
class Reader {
 public:
  Reader(const Json& object, std::string place, const char* guide = "docs/labs.md")
      : object_(object), place_(std::move(place)), guide_(guide) {
    if (!object.is_object()) fail("must be an object");
  }

  template <class T>
  T get(const char* key) {
    require(key);
    return convert<T>(key);
  }
  template <class T>
  T get(const char* key, T otherwise) {
    seen_.insert(key);
    return object_.contains(key) ? convert<T>(key) : std::move(otherwise);
  }
  const Json& require(const char* key) {
    seen_.insert(key);
    if (!object_.contains(key)) fail("has no \"" + std::string(key) + "\"");
    return object_[key];
  }
  const Json& child(const char* key) {
    static const Json kNone;
    seen_.insert(key);
    return object_.contains(key) ? object_[key] : kNone;
  }
  void finish() const {
    for (const auto& [key, value] : object_.items()) {
      if (!seen_.contains(key)) fail("has an unknown key \"" + key + "\"");
    }
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw JudgeFault(place_ + " " + what + ". " + guide_ + " lists the keys.");
  }

 private:
  template <class T>
  T convert(const char* key) {
    const Json& value = object_[key];
    if constexpr (std::integral<T>) {  // which get() would cut down to size
      const bool fits = value.is_number_unsigned()  ? std::in_range<T>(value.template get<uint64_t>())
                        : value.is_number_integer() ? std::in_range<T>(value.template get<int64_t>())
                                                    : false;
      if (!fits) fail("has a \"" + std::string(key) + "\" that is no whole number, or one out of range");
    }
    try {
      return value.template get<T>();
    } catch (const Json::exception&) { fail("has a \"" + std::string(key) + "\" of the wrong type"); }
  }

  const Json& object_;
  std::string place_;
  const char* guide_;
  std::set<std::string> seen_;
};

}  // namespace warpladder
