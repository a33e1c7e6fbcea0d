// shared_file: the memory that a device in a process of its own shares with its program.
#pragma once

#include <cstdint>

namespace lockstep {

// The window for transfers, then the memory that CUDA maps for the host.
class SharedFile {
 public:
  explicit SharedFile(uint64_t shared_bytes);  // throws std::runtime_error
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  int fd() const { return fd_; }
  char* window() const { return window_; }

 private:
  int fd_ = -1;
  char* window_ = nullptr;
};

}  // namespace lockstep
