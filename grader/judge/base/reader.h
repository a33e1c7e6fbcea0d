// reader: one object of a JSON file that a person wrote → its values. Errors name the file, the position in it and the
// page that explains the keys.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "grader/judge/base/message.h"

namespace warpladder {

// Reads the keys of one object. finish() then refuses the keys that were not read.
class Reader {
 public:
  // The object must outlive the reader.
  // place: for errors, such as lab.json.
  Reader(const nlohmann::json& object, Message place, const char* guide = "docs/labs.md");
  // Throws JudgeFault with the next step where the file is missing, and where it is not JSON.
  static Reader of_file(const std::filesystem::path& file, const Message& next_step);

  static Reader of_text(const std::string& text, const std::string& place);

  // T: std::string, bool, double, int, size_t, std::vector of strings or of ints.
  template <class T>
  T get(const char* key);
  template <class T>
  T get(const char* key, T otherwise);
  std::optional<double> get_figure(const char* key);  // a number or null

  void skip(const char* key) { seen_.insert(key); }  // the key is for another program
  bool has(const char* key);                         // not null, and not missing
  Reader object(const char* key);
  std::vector<Reader> list(const char* key, const char* form);  // form: "rule {number}", for errors

  void finish() const;
  [[noreturn]] void fail(const Message& what) const;  // "has no \"source\""

 private:
  Reader(std::shared_ptr<const nlohmann::json> object, Message place, const char* guide);
  const nlohmann::json& require(const char* key);
  template <class T>
  T convert(const char* key) const;

  std::shared_ptr<const nlohmann::json> object_;  // a part of the whole file, which it keeps alive
  Message place_;
  const char* guide_;
  std::set<std::string> seen_;
};

}  // namespace warpladder
