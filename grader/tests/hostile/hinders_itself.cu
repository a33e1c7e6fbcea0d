// verdict: time · time
// lab: 99
// Thirty-two threads compute all the time, and hinder each other: most of them wait for a processor.
#include <thread>
#include <vector>

#include "racy.h"

int reduce_sum(int* data, int n) {
  static volatile bool forever = true;
  std::vector<std::thread> threads;
  for (int i = 0; i < 32; ++i) {
    threads.emplace_back([] {
      while (forever) {}
    });
  }
  for (std::thread& thread : threads) thread.join();
  return racy_sum(data, n, true);
}
