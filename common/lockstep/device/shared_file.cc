#include "device/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "base/words.h"
#include "device/wire.h"

namespace lockstep {
namespace {

std::string no_shared_memory(const char* reason) {
  return words("shared memory for a device in a process of its own cannot be had: {reason}", {{"reason", reason}});
}

}  // namespace

// No process may change the file's size: a process that reads a mapping of a file that shrank is killed.
SharedFile::SharedFile(uint64_t shared_bytes) : fd_(memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  const bool made = fd_ >= 0 && ftruncate(fd_, static_cast<off_t>(kTransferBytes + shared_bytes)) == 0 &&
                    fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  void* window = made ? mmap(nullptr, kTransferBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0) : MAP_FAILED;
  if (window == MAP_FAILED) throw std::runtime_error(no_shared_memory(std::strerror(errno)));
  window_ = static_cast<char*>(window);
}

SharedFile::~SharedFile() {
  munmap(window_, kTransferBytes);
  close(fd_);
}

}  // namespace lockstep
