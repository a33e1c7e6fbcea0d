// machine_code: for each kernel of a device, what ptxas made of its accesses. It asks when a module is loaded. About a
// large module it asks when one of its kernels starts, unless somebody has asked about all of it before. It answers
// when a launch has ended.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "device/kernels.h"
#include "sass/asking.h"
#include "sass/forms.h"

namespace lockstep {

class MachineCode {
 public:
  explicit MachineCode(const Tools& tools) : tools_(tools) {}

  // A program that is compiled separately has several texts. They are not asked about, because ptxas sees
  // only the parts.
  void loads(const LoadedModule* module, const std::vector<std::string_view>& ptx);
  void starts(const LoadedKernel& kernel);
  const Forms& forms(const LoadedKernel& kernel);  // waits for the tools
  void forget(const LoadedModule* module);

 private:
  struct Asked {
    std::string ptx;  // of a large module
    std::unique_ptr<Question> whole;
    std::map<const Program*, std::unique_ptr<Question>> kernels;
    std::map<const Program*, Forms> forms;
  };
  Question* question(Asked& asked, const LoadedKernel& kernel) const;

  Tools tools_;
  std::map<const LoadedModule*, Asked> modules_;
};

}  // namespace lockstep
