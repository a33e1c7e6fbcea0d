// sandbox: the walls around one process of somebody else's code. Asks the machine once what it allows and takes the
// first of these that works; docs/sandbox.md says what each keeps out:
//   1. bubblewrap (namespaces, files and network out of sight), seccomp, limits
//   2. bubblewrap without what this machine refuses of it
//   3. seccomp and limits
//   4. limits and a process group
// WARPLADDER_SANDBOX=filter or =limits takes no better one than 3 or 4.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/judge/child.h"
#include "grader/judge/seccomp.h"

namespace warpladder {

struct Walls {
  Permissions permissions;
  // Seen at their own paths. What is not there is left out.
  std::vector<std::filesystem::path> readable, writable;
  std::vector<std::string> variables;  // of ours that it may know; a name that ends in _ stands for all that begin so
  bool devices = true;                 // the usual ones in /dev; else only /dev/null: /dev/zero is an endless header
  bool card = false;                   // sees the machine's GPUs
  bool system = false;                 // sees /sys and /etc/OpenCL
};

class Sandbox {
 public:
  static const Sandbox& here();  // asks on the first call

  // Puts the command behind the walls: the environment is only what spec and walls name. Where files are out of sight,
  // /tmp and /dev/shm are memory of its own, and all else but walls.writable is read-only.
  void enclose(ChildSpec& spec, const Walls& walls) const;
  // Whether a process can be started behind these walls at all: if not, a failure in there is no submission's.
  bool stands(const Walls& walls) const;
  bool hides_files() const { return bubblewrap_; }
  std::string text() const;  // what it is made of, for the record
  bool is_full() const { return bubblewrap_ && refused_.empty() && seccomp_; }

 private:
  Sandbox();
  bool has(const char* feature) const;
  void find_bubblewrap();
  std::vector<std::string> bubblewrap(const ChildSpec& spec, const Walls& walls) const;

  std::filesystem::path program_;     // bwrap
  std::vector<std::string> refused_;  // features that this machine's bwrap does without
  std::string reason_;                // why there is no bubblewrap
  bool bubblewrap_ = false, seccomp_ = false;
};

}  // namespace warpladder
