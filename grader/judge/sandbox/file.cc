#include "grader/judge/sandbox/file.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grader/judge/base/failure.h"

namespace warpladder {
namespace {

[[noreturn]] void fault(const Message& what) {
  throw JudgeFault(message("{what}: {reason}. That is the machine's trouble, not the code's.",
                           {{"what", what}, {"reason", std::generic_category().message(errno)}}));
}

}  // namespace

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void Fd::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fault(std::string("pipe"));
  return {Fd(ends[0]), Fd(ends[1])};
}

SharedMemory::SharedMemory(const char* name, size_t bytes, Others others)
    : fd_(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)), bytes_(bytes > 0 ? bytes : 1) {
  if (!fd_.is_open() || ftruncate(fd_.get(), static_cast<off_t>(bytes_)) != 0) fault(message("shared memory"));
  void* memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0);
  if (memory == MAP_FAILED) fault(message("shared memory"));
  memory_ = static_cast<std::byte*>(memory);
  // Our own mapping stays writable. Mappings that are made from now on do not.
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | (others == Others::kMayRead ? F_SEAL_FUTURE_WRITE : 0) | F_SEAL_SEAL;
  if (fcntl(fd_.get(), F_ADD_SEALS, seals) != 0) fault(message("sealing shared memory"));
}

SharedMemory::~SharedMemory() {
  if (memory_ != nullptr) munmap(memory_, bytes_);
}

TemporaryFolder::TemporaryFolder() {
  const char* parent = std::getenv("TMPDIR");
  std::string pattern = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/warpladder-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) fault(message("temporary folder {folder}", {{"folder", pattern}}));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // there is nothing left to try
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace warpladder
