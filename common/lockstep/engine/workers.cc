#include "engine/workers.h"

#include <csignal>
#include <system_error>

namespace lockstep {

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  alive_ -= static_cast<uint32_t>(threads_.size());
}

// Only the program's own threads handle its signals.
void Workers::start() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    for (; threads_.size() < wanted_; ++alive_) threads_.emplace_back(&Workers::live, this, threads_.size());
  } catch (const std::system_error&) {  // no more threads for this process: those that have started help
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Workers::call(std::function<void(uint32_t)> help) {
  if (threads_.empty()) start();
  {
    const std::lock_guard lock(mutex_);
    help_ = std::move(help);
    ++call_;
  }
  work_.notify_all();
}

void Workers::dismiss() {
  std::unique_lock lock(mutex_);
  help_ = nullptr;
  done_.wait(lock, [this] { return busy_ == 0; });
}

void Workers::live(uint32_t index) {
  std::unique_lock lock(mutex_);
  for (uint64_t last_call = 0;;) {
    work_.wait(lock, [&] { return ending_ || (help_ && call_ != last_call); });
    if (ending_) return;
    last_call = call_;
    const std::function<void(uint32_t)> help = help_;
    ++busy_;
    lock.unlock();
    help(index);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

}  // namespace lockstep
