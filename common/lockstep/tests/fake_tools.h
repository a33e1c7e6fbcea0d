// fake_tools: programs in place of ptxas and nvdisasm. They note what they are asked, and print what a test gives them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/options.h"

namespace lockstep {

// nvdisasm's listing of the only kernel `k`, whose accesses are these rows: "12: LDG.E R0, desc[UR6][R2.64]" for line
// 12 of the PTX.
inline std::string listing_of(const std::vector<std::string>& rows) {
  std::string text = "\t.section\t.text.k,\"ax\",@progbits\n.text.k:\n";
  for (const std::string& row : rows) {
    if (row.ends_with(':')) {  // a label
      text += row + "\n";
      continue;
    }
    const size_t colon = row.find(": ");
    text += "\t//## File \".nv_debug_ptx_txt\", line " + row.substr(0, colon) + "\n        /*0000*/ " +
            row.substr(colon + 2) + " ;\n";
  }
  return text + "        /*00f0*/ EXIT ;\n";
}

class FakeTools {
 public:
  explicit FakeTools(const std::string& listing, int registers = 8) {
    const testing::TestInfo* const test = testing::UnitTest::GetInstance()->current_test_info();
    const std::string name = std::string(test->test_suite_name()) + "." + test->name() + "." + std::to_string(getpid());
    folder_ = std::filesystem::path(testing::TempDir()) / ("fake_tools." + name);
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "listing") << listing;
    make("ptxas",
         "while [ \"$1\" != -o ]; do shift; done\necho code > \"$2\"\n"
         "echo \"ptxas info    : Compiling entry function 'k' for 'sm_90'\" >&2\n"
         "echo 'ptxas info    : Used " +
             std::to_string(registers) + " registers, 16 bytes smem' >&2\n");
    make("nvdisasm", "while [ $# -gt 1 ]; do shift; done\n[ \"$(cat \"$1\")\" = code ] && cat '" +
                         (folder_ / "listing").string() + "'\n");
  }
  ~FakeTools() { std::filesystem::remove_all(folder_); }
  FakeTools(const FakeTools&) = delete;

  // A program in place of the tool; it notes its arguments first.
  void make(const std::string& tool, const std::string& script) const {
    const std::filesystem::path file = folder_ / tool;
    std::ofstream(file) << "#!/bin/sh\necho " << tool << " \"$@\" >> '" << (folder_ / "asked").string() << "'\n"
                        << script;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  Tools tools() const { return {answers(), (folder_ / "ptxas").string(), (folder_ / "nvdisasm").string()}; }
  Tools answers_only() const { return {answers(), "", ""}; }
  std::string answers() const { return (folder_ / "answers").string(); }

  // How the tools were called, one line for each call.
  std::vector<std::string> asked() const {
    std::vector<std::string> calls;
    std::ifstream file(folder_ / "asked");
    for (std::string line; std::getline(file, line);) calls.push_back(line);
    return calls;
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace lockstep
