// sandbox: the walls around one process of foreign code. It asks the machine once what is allowed and takes the first
// of these that works. docs/sandbox.md says what each wall keeps out:
//   1. bubblewrap (namespaces, files and network out of sight), seccomp, limits
//   2. bubblewrap without the features that this machine refuses
//   3. seccomp and limits
//   4. limits and a process group
// WARPLADDER_SANDBOX=filter begins with 3, WARPLADDER_SANDBOX=limits with 4.
#pragma once

#include "grader/judge/base/message.h"
#include "grader/judge/sandbox/child.h"
#include "grader/judge/sandbox/seccomp.h"

namespace warpladder {

struct Walls {
  Permissions permissions;
  // Visible at their own paths. A path that does not exist is left out.
  std::vector<std::filesystem::path> readable, writable;
  std::vector<std::string>
      variables;        // our variables that it may see; a name that ends in _ stands for all names that begin with it
  bool devices = true;  // the usual ones in /dev; else only /dev/null, since an #include of /dev/zero never ends
  bool card = false;    // sees the machine's GPUs
  bool system = false;  // sees /sys and /etc/OpenCL
};

class Sandbox {
 public:
  static const Sandbox& here();  // asks on the first call

  // Puts the command behind the walls. Its environment holds only the variables that spec and walls name. With
  // bubblewrap, /tmp and /dev/shm are memory of its own, and all other paths but walls.writable are read-only.
  void enclose(ChildSpec& spec, const Walls& walls) const;
  // Whether a process can be started behind these walls at all. If not, a failure in there is not the submission's.
  bool stands(const Walls& walls) const;
  bool hides_files() const { return bubblewrap_; }
  Message text() const;  // its parts, for the record
  bool is_full() const { return bubblewrap_ && refused_.empty() && seccomp_; }

 private:
  Sandbox();
  bool has(const char* feature) const;
  void find_bubblewrap();
  std::vector<std::string> bubblewrap(const ChildSpec& spec, const Walls& walls) const;

  std::filesystem::path program_;     // bwrap
  std::vector<std::string> refused_;  // features that bwrap cannot have on this machine
  std::string reason_;                // why there is no bubblewrap
  bool bubblewrap_ = false, seccomp_ = false;
};

}  // namespace warpladder
