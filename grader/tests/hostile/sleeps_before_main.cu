// verdict: time · time
// lab: 99
// Each of its processes sleeps before main, for a little less than the limit. A submission has many processes.
#include <chrono>
#include <thread>

#include "racy.h"

namespace {
const bool slept = (std::this_thread::sleep_for(std::chrono::milliseconds(2500)), true);
}

int reduce_sum(int* data, int n) { return racy_sum(data, n, slept); }
