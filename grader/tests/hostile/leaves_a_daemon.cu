// verdict: wrong answer · case.reduce_sum
// lab: 02
// Leaves a process behind, in a session of its own and without a parent. It writes a
// file after two seconds and ends after 20.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  static bool done = false;
  if (done) return n + 1;
  done = true;
  if (fork() != 0) return n + 1;
  setsid();
  for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
  if (fork() != 0) _exit(0);
  sleep(2);
  for (const char* file : {"/tmp/@CANARY@", "/dev/shm/@CANARY@", "@SUBMISSION@/@CANARY@"})
    open(file, O_CREAT | O_WRONLY, 0600);
  sleep(18);
  _exit(0);
}
