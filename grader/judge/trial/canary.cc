#include "grader/judge/trial/canary.h"

#include <fstream>

#include "grader/judge/compile/compile.h"
#include "grader/judge/run/submission.h"

namespace warpladder {
namespace {

constexpr double kSeconds = 30;

std::optional<Failure> compile_canary(const Build& build, const Lab& lab, const TemporaryFolder& folder,
                                      const std::filesystem::path& binary) {
  const std::filesystem::path source = folder.path() / lab.source;
  const std::string& function = lab.contract->find_entry(lab.measured)->signature;
  std::ofstream(source) << (lab.is_opencl() ? "#include \"common/opencl.h\"\n" + function + " { opencl_device(); }\n"
                                            : "");
  return compile(build, lab, source, binary, folder);
}

// The first call shows whether there is an OpenCL device. A wrong answer does not matter.
bool finds_device(Submission& submission, const Lab& lab) {
  const Case job{lab.measured, &lab.measured_entry(), lab.measured_inputs.front(), 1, 1};
  submission.give(job, job.entry->code.make(job.input, job.n, 1));
  const auto failure = submission.run(job, kSeconds);
  return !failure || failure->verdict == Verdict::kWrongAnswer;
}

}  // namespace

std::optional<Failure> compiler_trouble(const Build& build, const Lab& lab) {
  const TemporaryFolder folder;
  return compile_canary(build, lab, folder, folder.path() / "canary");
}

bool machine_works(const Build& build, const Lab& lab, const Device& device) {
  const TemporaryFolder folder;
  const std::filesystem::path binary = folder.path() / "canary";
  try {
    if (compile_canary(build, lab, folder, binary)) return false;
    SubmissionSpec spec;
    spec.binary = binary;
    spec.device = device;
    spec.lab = lab;
    if (!lab.is_opencl()) spec.lab.entries.clear();
    spec.largest_n = 1;
    Submission submission(spec);
    if (submission.start()) return false;
    return !lab.is_opencl() || finds_device(submission, lab);
  } catch (const JudgeFault&) { return false; }
}

}  // namespace warpladder
