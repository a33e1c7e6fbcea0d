// file: descriptors, shared memory and temporary folders that the judge owns. Destructors give them back in every case.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "grader/judge/base/bytes.h"

namespace warpladder {

std::string read_file(const std::filesystem::path& file);  // "": it is empty, or cannot be read

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

struct Pipe {
  Fd read, write;
};
Pipe make_pipe();  // both ends are closed on exec

// Memory that another process can map through fd(). Its size is fixed: if a file shrinks under a mapping, the next read
// of the mapping kills the reader.
class SharedMemory {
 public:
  enum class Others { kMayRead, kMayWrite };  // kMayRead: the kernel lets only us write
  SharedMemory(const char* name, size_t bytes, Others others);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  std::byte* data() const { return memory_; }
  int fd() const { return fd_.get(); }

 private:
  Fd fd_;
  std::byte* memory_ = nullptr;
  size_t bytes_ = 0;
};

// A folder of our own under $TMPDIR. Its destructor removes it with all its files.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace warpladder
