// testing: the parts that several tests need: a lab in memory, an environment for the fake runner, files in a folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "grader/judge/base/failure.h"
#include "grader/judge/lab/lab.h"
#include "grader/judge/sandbox/file.h"

namespace warpladder {

inline std::ostream& operator<<(std::ostream& stream, const Message& message) { return stream << message.text(); }

namespace testing {

class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

inline Failure failure_of(Verdict verdict, const std::string& check, const std::vector<std::string>& steps = {},
                          const std::string& next_step = "", const std::string& printed = "") {
  return {verdict, check, {steps.begin(), steps.end()}, next_step, printed};
}

inline Lab lab_of(const char* contract, const char* entry) {
  Lab lab;
  lab.name = "99_test";
  lab.number = "99";
  lab.contract = find_contract(contract);
  lab.entries = {entry};
  lab.measured = entry;
  lab.inputs = lab.measured_entry().inputs;
  lab.measured_inputs = {"random"};
  lab.sizes.real = 5000;
  lab.sizes.largest = 4097;
  return lab;
}

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

}  // namespace testing
}  // namespace warpladder
