// ask_ptxas PROGRAM FOLDER: asks ptxas and nvdisasm what they make of the program's PTX, and leaves the answers in the
// folder, where a device finds them (LOCKSTEP_SASS). The judge runs it in the compiler's sandbox, since the device's
// own process may start no other. Exit code: 0, also if there is no answer; 2: wrong usage.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "runtime/fatbin.h"
#include "sass/asking.h"

namespace {

using namespace lockstep;

constexpr int kArchitecture = 90;  // of the card that lockstep pretends to be

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void ask(const std::string& program, const Tools& tools) {
  std::vector<std::string> modules;
  for (const std::span<const std::byte> container : containers_of_file(std::as_bytes(std::span(program)))) {
    PtxChoice choice = choose_ptx(read_fatbin(container), kArchitecture);
    if (choice.error == FatbinError::kNone) modules.push_back(std::move(choice.ptx));
  }
  // The judge ends this process if ptxas takes as long as the compiler may. What is answered until then counts, so the
  // small modules come first.
  std::ranges::stable_sort(modules, {}, &std::string::size);
  for (const std::string& ptx : modules) Question(tools, ptx, "");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: ask_ptxas PROGRAM FOLDER\n");
    return 2;
  }
  try {
    Tools tools = find_tools();
    tools.folder = argv[2];
    ask(read_file(argv[1]), tools);
  } catch (const std::exception& error) { std::fprintf(stderr, "ask_ptxas: %s\n", error.what()); }
}
