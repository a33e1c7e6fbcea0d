// verdict: wrong answer · case.reduce_sum
// lab: 02
// Looks for the judge among all visible processes, and for the answer in its memory and its environment.
#include <fcntl.h>
#include <sys/uio.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid == 0) continue;
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    breached_if(name == "judge" || name == "python3", "the judge is seen");
    char byte = 0;
    iovec mine{&byte, 1}, theirs{const_cast<char*>("x"), 1};
    breached_if(pid != getpid() && process_vm_readv(pid, &mine, 1, &theirs, 1, 0) == 1, "another's memory");
    std::string environment;
    std::getline(std::ifstream(entry.path() / "environ"), environment, '\1');
    breached_if(environment.find("SECRET_OF_THE_TEST") != std::string::npos, "the judge's environment");
  }
  return n + 1;
}
