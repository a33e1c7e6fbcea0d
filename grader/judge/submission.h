// submission: one lab binary at work in a process of its own. Jobs in, answers or a failure out; see
// common/runner/protocol.h for the other side. Believes the process nothing but the bytes of the answer.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "grader/judge/cases.h"
#include "grader/judge/child.h"
#include "grader/judge/contract.h"
#include "grader/judge/device_process.h"
#include "grader/judge/verdict.h"

namespace warpladder {

struct Device {
  bool is_lockstep = true;
  std::filesystem::path lockstep;                // folder of its libcudart.so.13 and its device_server
  std::vector<std::filesystem::path> sees = {};  // what else of the machine a program needs, beside /usr

  std::string name() const { return is_lockstep ? "lockstep" : "gpu"; }
  // lockstep sees an access one byte outside an allocation by itself, and says which line made it.
  size_t guard_bytes() const { return is_lockstep ? 0 : 4096; }
};

struct Timing {
  // What the process says, for what that is worth: how long the device was at work; the call by CUDA events; what a
  // copy on the card reached just before.
  std::optional<double> device_ms, events_ms;
  double copy_gb_per_s = 0;
  double whole_ms = 0;  // of a timed call, by the judge's own clock
};

struct SubmissionSpec {
  std::filesystem::path binary;
  Device device;
  const Lab* lab = nullptr;
  size_t largest_n = 0;         // of all jobs to come
  std::string schedule;         // of lockstep; "": its own choice
  bool checked = false;         // under every check of lockstep
  int failing_call = 0;         // of the calls of CUDA's that the function makes, lockstep lets this one fail; 0: none
  std::filesystem::path trace;  // of lockstep; "": none
  std::filesystem::path cache;  // where PoCL keeps what it compiled; "": with the process it is gone
  double cpu_seconds = 600;
  bool throws_killed = false;  // where the process is killed; else that is taken for memory of its own
};

// Throws Killed (process_failure.h) where its spec says so.
class Submission {
 public:
  explicit Submission(SubmissionSpec spec);

  std::optional<Failure> start();  // up to "ready", with every entry point of the lab there
  void give(View input);           // of the next run
  std::variant<Timing, Failure> run(const Case& job, double seconds, bool timed = false);
  // Runs a case with a failing_call: whether the code ended there, as it does by CUDA_CHECK, or went on.
  enum class Reaction { kNoticed, kWentOn, kNothingFailed };
  Reaction react(const Case& job, double seconds);
  std::optional<Failure> stop();  // an orderly end, or what its device has to say after another one
  // That the device crashed, or was spoken to as by no CUDA program. Ends what still runs.
  std::optional<Failure> device_trouble();
  std::string report() const;   // lockstep's, after stop(); "" if there is none
  std::string printed() const;  // by the code on stdout, then on stderr, where lockstep speaks too
  std::string opencl_device() const { return opencl_device_; }  // that the code chose; "": none
  std::string card() const { return card_; }                    // as the runtime calls it
  View output() const { return output_; }                       // of the last run, after it passed

 private:
  std::optional<Failure> await(double seconds, const std::string& check, std::string& line);
  std::optional<Failure> inspect(const Case& job, size_t guard, const std::string& line, Timing& timing);
  std::optional<Failure> greeted(const std::string& line);
  std::optional<Failure> send(const Case& job, bool timed);
  std::optional<Failure> say(const std::string& text);
  std::optional<Failure> hold_clock(const Case& job, double seconds, std::string& line, double& whole_ms);
  std::string ask_to_show(size_t out_bytes);
  std::optional<Failure> compare_shown(const std::string& line) const;
  size_t guard_of(const Case& job) const;
  std::optional<Failure> stop_program();
  void throw_if_killed() const;

  SubmissionSpec spec_;
  TemporaryFolder folder_;
  SharedMemory input_, result_;
  Pipe jobs_;
  std::optional<DeviceProcess> device_;  // lockstep's
  std::unique_ptr<Child> child_;
  bool timed_out_ = false, device_stopped_ = false;
  std::optional<Failure> device_trouble_;
  uint64_t next_id_;
  View output_;
  // Of a timed call: the places in the output that were asked for when it had ended, and the line that showed them.
  std::vector<size_t> asked_;
  std::string shown_;
  std::string opencl_device_, card_;
};

}  // namespace warpladder
