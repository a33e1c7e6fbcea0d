// lab_case BINARY ENTRY N IN_BYTES OUT_BYTES BELOW [CALLS [BLOCK SEED]]: one or several calls of a lab's function,
// without a judge. Makes and opens the files that the runner expects (common/runner/protocol.h), then replaces this
// process by BINARY. So the call is the same on lockstep, on a card, and under Nsight Compute. Input byte i is a hash
// of i modulo BELOW. These bytes are more even than random ones, so a histogram meets fewer conflicts. With SEED the
// bytes are random. BLOCK is for entries that take a block's size; the default is 256.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "common/runner/protocol.h"

namespace {

// A file without a name, which is deleted when it is closed. It begins with `bytes`.
int open_file(const std::string& bytes) {
  std::FILE* file = std::tmpfile();
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) std::exit(3);
  std::rewind(file);
  return fcntl(fileno(file), F_DUPFD, 16);  // above the numbers below
}

std::string input(size_t bytes, uint32_t below) {
  std::string data(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<char>((static_cast<uint32_t>(i) * 2654435761u >> 9) % below);
  return data;
}

std::string random_input(size_t bytes, uint32_t below, uint64_t seed) {
  std::mt19937_64 words(seed);
  std::string data(bytes, '\0');
  uint64_t word = 0;
  for (size_t i = 0; i < bytes; ++i) {
    word = i % 8 == 0 ? words() : word >> 8;
    data[i] = static_cast<char>((word & 255) % below);
  }
  return data;
}

std::string job(const std::string& entry, const std::string& n, const std::string& block, size_t in_bytes,
                size_t out_bytes) {
  return R"({"id":1,"entry":")" + entry + R"(","n":)" + n + R"(,"block":)" + block + R"(,"in_bytes":)" +
         std::to_string(in_bytes) + R"(,"out_bytes":)" + std::to_string(out_bytes) +
         R"(,"in_offset":0,"out_offset":0,"guard":0,"on_host":)" +
         (entry == "saxpy" ? "true" : "false") +  // saxpy copies to the device itself
         R"(,"return_input":false,"timed":false,"profiled":false,"answers":false,"sealed":false})" + "\n";
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7 && count != 8 && count != 10)
    return std::cerr << "usage: lab_case BINARY ENTRY N IN_BYTES OUT_BYTES BELOW [CALLS [BLOCK SEED]]\n", 2;
  using namespace warpladder;
  const size_t in_bytes = std::stoull(arguments[4]), out_bytes = std::stoull(arguments[5]);
  const uint32_t below = static_cast<uint32_t>(std::stoul(arguments[6]));
  const ResultLayout layout{in_bytes, out_bytes, 0};
  std::string jobs;
  for (int calls = count > 7 ? std::atoi(arguments[7]) : 1; calls > 0; --calls)
    jobs += job(arguments[2], arguments[3], count == 10 ? arguments[8] : "256", in_bytes, out_bytes);
  dup2(open_file(jobs + "{\"quit\":true}\n"), kJobsFd);
  dup2(STDOUT_FILENO, kRepliesFd);
  dup2(open_file(count == 10 ? random_input(in_bytes, below, std::stoull(arguments[9])) : input(in_bytes, below)),
       kInputFd);
  dup2(open_file(std::string(layout.total(), '\0')), kResultFd);
  execl(arguments[1], arguments[1], nullptr);
  std::cerr << "cannot run " << arguments[1] << "\n";
  return 1;
}
