// verdict: time · time
// lab: 99
// Sleeps for seven tenths of the time that a case may take, in every case, and then answers correctly.
#include <chrono>
#include <thread>

#include "racy.h"

int reduce_sum(int* data, int n) {
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  return racy_sum(data, n, true);
}
