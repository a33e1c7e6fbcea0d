// api_interrupt: a signal that ends the program (SIGTERM, SIGINT) → the present launch ends, what was found until
// then is told and written into the report, if there is one, and the signal has its usual effect.
#include "runtime/api.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <system_error>
#include <thread>

#include "base/interruption.h"

namespace lockstep::runtime {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGINT};

// All that the handler uses: it may interrupt anything, so it writes flags and wakes the thread below.
struct Arrived {
  pid_t process = 0;
  std::atomic<int64_t> first_ns = 0;  // when the first signal came
  std::atomic<int> signal = 0;
  sem_t wakes{};
} arrived;

// Signals within this time are one request: timeout(1) signals the program, and then its group with the program in it.
constexpr int64_t kOneRequestNs = 1'000'000'000;

int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

void take_usual_effect(int signal) {
  std::signal(signal, SIG_DFL);
  kill(getpid(), signal);
}

// A forked child has no thread to wake, and no report. A later request ends a program that the first could not end.
void handle(int signal) {
  if (getpid() != arrived.process) return take_usual_effect(signal);
  const int64_t now = now_ns();
  int64_t first = 0;
  if (!arrived.first_ns.compare_exchange_strong(first, now)) {
    if (now - first > kOneRequestNs) take_usual_effect(signal);
    return;
  }
  arrived.signal = signal;
  g_interrupted = true;
  sem_post(&arrived.wakes);
}

// The program may be outside of every call. Waits until none of its threads is inside one.
void wait_for_signal(Runtime* runtime) {
  while (sem_wait(&arrived.wakes) != 0 && errno == EINTR) {}
  const std::lock_guard lock(runtime->mutex);
  end_if_interrupted(*runtime);
}

// Without the thread, the signals keep their usual effect.
bool start_thread(Runtime& runtime) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's own threads handle its signals
  bool started = true;
  ++g_watchers;
  try {
    std::thread(wait_for_signal, &runtime).detach();
  } catch (const std::system_error&) {
    --g_watchers;
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

}  // namespace

void watch_signals(Runtime& runtime) {
  arrived.process = getpid();
  if (sem_init(&arrived.wakes, 0, 0) != 0 || !start_thread(runtime)) return;
  for (const int signal : kSignals) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) continue;
    now.sa_handler = handle;
    now.sa_flags = SA_RESTART;
    sigemptyset(&now.sa_mask);
    sigaction(signal, &now, nullptr);
  }
}

void end_if_interrupted(Runtime& runtime) {
  const int signal = arrived.signal;
  if (signal == 0) return;
  runtime.flush_output();
  std::fflush(stdout);
  runtime.end(signal == SIGINT ? Device::End::kInterrupted : Device::End::kTerminated);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  take_usual_effect(signal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  for (;;) pause();  // until the signal comes to one of the threads
}

}  // namespace lockstep::runtime
