// asking: the PTX of a module → what ptxas makes of it. ptxas compiles it for the card that lockstep pretends to be,
// and nvdisasm lists the code, in a process beside the emulation. Answers stay in a folder: NAME.ptx, the text that was
// asked about, and NAME.sass, the listing; NAME is a hash of the text, and for one kernel of a large module also of its
// name. So a program is asked about once, and a judge can ask before it starts a device that may not start processes.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/options.h"
#include "sass/listing.h"

namespace lockstep {

// A device asks about a module's PTX above this size kernel by kernel: CUB's modules have a hundred kernels, of which a
// program launches few, and ptxas would take seconds for all. ask_ptxas does not know which kernels will be launched,
// so it asks about all of them at once, which takes less time than one after the other.
inline constexpr size_t kLargeModule = 256 << 10;  // bytes

class Question {
 public:
  using Answer = std::map<std::string, MachineKernel, std::less<>>;

  // Looks for the answer in the folder; if there is none, starts the tools. `ptx` need not outlive the constructor.
  // kernel: the name in PTX of the only kernel that matters; empty: all.
  Question(const Tools& tools, std::string_view ptx, std::string_view kernel);
  Question(const Question&) = delete;
  ~Question();  // waits for the tools

  // Waits for the tools. Null: there is no answer.
  const Answer* answer();

 private:
  bool is_kept(std::string_view ptx) const;
  void start(const Tools& tools, std::string_view ptx, std::string_view kernel);
  void wait();

  std::string path_;  // of the files, without .ptx and .sass
  pid_t process_ = -1;
  std::optional<Answer> answer_;
};

}  // namespace lockstep
