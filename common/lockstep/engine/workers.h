// workers: threads that help the calling thread with a piece of work, and sleep otherwise. Knows nothing of launches.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep {

class Workers {
 public:
  // helpers: threads beside the caller's. They start at the first call. If the system gives fewer threads, fewer help.
  explicit Workers(uint32_t helpers) : wanted_(helpers) {}
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  uint32_t helpers() const { return wanted_; }
  static uint32_t alive() { return alive_; }  // threads of all Workers in this process
  // Every helper runs help(i), i in [0, helpers()), as soon as it wakes, until dismiss().
  void call(std::function<void(uint32_t)> help);
  // Waits for the helpers that have begun; the others sleep on. Everything they did is then visible here.
  void dismiss();

 private:
  void start();
  void live(uint32_t index);

  static inline std::atomic<uint32_t> alive_ = 0;
  const uint32_t wanted_;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::function<void(uint32_t)> help_;  // empty: nothing to do
  uint64_t call_ = 0;                   // number of the call, so that no helper helps twice
  uint32_t busy_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep
