// verdict: cheating suspected · protocol
// lab: 02
// Writes its own reply to descriptor 4, with an invented number, and then returns a right answer.
#include <unistd.h>

#include <string>

#include "right.h"

int reduce_sum(int* data, int n) {
  const std::string reply = R"({"id":1,"status":"ok","value":0,"events_ms":0.001,"host_ms":0.001})" + std::string("\n");
  if (write(4, reply.data(), reply.size()) < 0) return 0;
  return right_sum(data, n);
}
