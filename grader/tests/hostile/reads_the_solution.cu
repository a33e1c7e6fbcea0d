// verdict: wrong answer · case.reduce_sum
// lab: 02
// Opens the reference, the judge and the course's secrets by their names, while it runs.
#include <fcntl.h>

#include <string>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  const std::string repository = "@REPOSITORY@";
  for (const char* name :
       {"/solutions/02_reduce_neighbored/reduce.cu", "/solutions", "/grader/judge/contract/oracle.cc",
        "/labs/02_reduce_neighbored/lab.json", "/.git/HEAD", "/build/grader/judge"})
    breached_if(open((repository + name).c_str(), O_RDONLY) >= 0, name);
  for (const char* name : {"/etc/shadow", "/root/.ssh", "/home", "/proc/1/environ", "/proc/1/root/etc/hostname"}) {
    const int fd = open(name, O_RDONLY);
    breached_if(fd >= 0 && std::string(name) != "/proc/1/environ" && std::string(name) != "/home", name);
    if (fd >= 0) close(fd);
  }
  return n + 1;
}
