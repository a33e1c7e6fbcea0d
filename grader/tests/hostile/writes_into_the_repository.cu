// verdict: wrong answer · case.reduce_sum
// lab: 02
// Writes files into the repository, the build and folders that all users share, and into its own binary.
#include <fcntl.h>

#include <string>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  const std::string repository = "@REPOSITORY@";
  for (const char* folder :
       {"", "/solutions", "/labs/02_reduce_neighbored", "/build", "/build/lockstep", "/build/runner"})
    open((repository + folder + "/@CANARY@").c_str(), O_CREAT | O_WRONLY, 0600);  // the test looks for them
  breached_if(open((repository + "/README.md").c_str(), O_WRONLY) >= 0, "README.md");
  breached_if(open("/proc/self/exe", O_WRONLY) >= 0, "its own binary");
  for (const char* folder : {"/tmp", "/dev/shm", "/var/tmp", "/home", "/root", "/usr/lib", "/etc", "@SUBMISSION@"})
    open((folder + std::string("/@CANARY@")).c_str(), O_CREAT | O_WRONLY, 0600);
  return n + 1;
}
