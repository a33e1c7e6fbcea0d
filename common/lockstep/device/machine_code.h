// machine_code: for each kernel of a device, what ptxas made of its accesses, and how many registers it needs. About a
// large module it asks kernel by kernel, unless somebody has asked about all of it before. ask() only starts the tools;
// the answers wait for them.
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
  void ask(const LoadedModule* module);
  void ask(const LoadedKernel& kernel) { question(kernel); }
  const Forms& forms(const LoadedKernel& kernel);
  uint32_t registers(const LoadedKernel& kernel);  // of a thread; 0: there is no answer
  void forget(const LoadedModule* module) { modules_.erase(module); }

 private:
  struct Asked {
    std::string ptx;  // empty: nothing is asked
    std::unique_ptr<Question> whole;
    std::map<const Program*, std::unique_ptr<Question>> kernels;
    std::map<const Program*, Forms> forms;
    bool is_large() const { return ptx.size() > kLargeModule; }
  };
  Question* question(const LoadedKernel& kernel);           // null: nothing is asked
  const MachineKernel* answer(const LoadedKernel& kernel);  // null: there is none

  Tools tools_;
  std::map<const LoadedModule*, Asked> modules_;
};

}  // namespace lockstep
