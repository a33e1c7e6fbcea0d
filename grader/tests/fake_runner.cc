// A lab binary without CUDA: it speaks the runner's side of the protocol for the contract of WARPLADDER_FAKE_CONTRACT,
// honestly or with the fault that WARPLADDER_FAKE_FAULT names.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "common/runner/protocol.h"

using Json = nlohmann::json;
using namespace warpladder;

namespace {

std::string fault;
bool is_first = false;  // this is the first process of a test that counts its processes
size_t elements = 0;    // elements of all jobs so far
size_t largest = 0;     // elements of the largest of them
size_t jobs_so_far = 0;

void say(const std::string& line) {
  if (write(kRepliesFd, line.data(), line.size()) < 0) _exit(9);
}

void write_report();

void hang() {
  while (true) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Does something wrong instead of answering. Returns if this fault is of another kind.
void misbehave(const Json& job) {
  if (fault == "sleeps_300_ms") std::this_thread::sleep_for(std::chrono::milliseconds(300));
  if (fault == "hang" || (fault == "hang_once" && is_first)) {
    write_report();
    hang();
  }
  if (fault == "hang_stubborn") {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGXCPU}) std::signal(signal, SIG_IGN);
    hang();
  }
  if (fault == "spin") {
    volatile bool forever = true;
    while (forever) {}
  }
  if (fault == "print") {
    while (true) std::puts("and on and on and on");
  }
  if (fault == "crash") std::raise(SIGSEGV);
  if (fault == "killed" || (fault == "killed_once" && is_first)) std::raise(SIGKILL);
  if (fault == "exit_0") std::exit(0);
  if (fault == "exit_3") std::exit(3);
  if (fault == "40_gb") {
    std::vector<char> much(size_t{40} << 30, 1);
    std::printf("%d\n", much[1]);
  }
  if (fault == "device_memory") {
    say(Json{{"status", "cuda"}, {"code", 2}, {"name", "cudaErrorMemoryAllocation"}, {"call", "cudaMalloc"}}.dump() +
        "\n");
    std::exit(1);
  }
  if (fault == "illegal_address") {
    std::cerr << "lockstep: kernel k wrote 4 bytes outside\nlockstep: two writes\n";
    say(Json{{"status", "cuda"}, {"code", 700}, {"name", "cudaErrorIllegalAddress"}}.dump() + "\n");
    write_report();
    std::exit(1);
  }
  if (fault == "forged") say("{\"id\":1,\"status\":\"ok\",\"value\":0,\"events_ms\":0.1,\"host_ms\":0.1}\n");
  if (fault == "garbage") say("PASS\n");
  if (fault == "wrong_status") say("{\"status\":3,\"id\":\"x\"}\n");
  if (fault == "wrong_type") say("{\"id\":" + job["id"].dump() + ",\"status\":\"ok\",\"value\":\"42\"}\n");
  for (const char* status : {"opencl", "kernels"}) {
    if (fault == status)
      say(Json{{"id", job["id"]}, {"status", status}, {"text", "clSomething failed"}, {"opencl_device", "A CPU"}}
              .dump() +
          "\n");
  }
  if (fault == "endless_line") {
    while (true) say(std::string(4096, 'x'));
  }
  if (fault == "daemon" && fork() == 0) {
    setsid();
    std::ofstream(std::getenv("WARPLADDER_FAKE_PID_FILE")) << getpid() << std::flush;
    hang();
  }
  if (fault == "leaves_files") std::ofstream("left_behind") << "here";
}

bool call_failed = false;

void scan(const float* in, size_t n, float* out) {
  float sum = 0;
  for (size_t i = 0; i < n; ++i) out[i] = sum += in[i];
  if (fault == "wrong_tail" && n > 40) out[40] += 0.5f;
  if (fault == "wrong_at_3456" && n == 3456) out[40] += 0.5f;
  if (fault == "exits_at_3456" && n == 3456) {
    std::fprintf(stderr, "n is 3456\n");
    std::exit(7);
  }
  if (fault == "finds_another_way_to_a_wrong_answer" && call_failed && n > 0) out[0] += 1;
  if (fault == "nan" && n > 0) out[n - 1] = __builtin_nanf("");
}

int64_t work(const Json& job, const unsigned char* in, unsigned char* result, const ResultLayout& layout) {
  const size_t n = job["n"];
  unsigned char* in_copy = result + layout.in_data();
  unsigned char* out = result + layout.out_data();
  for (size_t i = 0; i < layout.guard; ++i) {
    result[layout.in_guarded() + i] = result[layout.out_guarded() + i] = guard_byte(i);
    in_copy[layout.in_bytes + i] = out[layout.out_bytes + i] = guard_byte(i);
  }
  if (n > 0) std::memcpy(in_copy, in, layout.in_bytes);
  if (fault == "guard" && layout.guard > 0) out[layout.out_bytes] = 0;
  if (fault == "const" && n > 2) in_copy[8] ^= 1;
  if (fault == "lazy") return 0;
  if (job["entry"] == "reduce_sum" || job["entry"] == "reduce_sum_block") {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += reinterpret_cast<const uint32_t*>(in)[i];
    if (fault == "wrong_in_blocks_of_96") sum += job["block"] == 96;
    if (fault == "wrong_behind_12_bytes") sum += job["in_offset"] == 12;
    if (fault == "wrong_at_5000_in_blocks_of_512") sum += n == 5000 && job["block"] == 512;
    return static_cast<int32_t>(sum);
  }
  if (job["entry"] == "histogram") {
    auto* bins = reinterpret_cast<uint32_t*>(out);
    std::memset(bins, 0, 256 * sizeof *bins);
    for (size_t i = 0; i < n; ++i) ++bins[in[i]];
    return 0;
  }
  scan(reinterpret_cast<const float*>(in), n, reinterpret_cast<float*>(out));
  return 0;
}

// The judge's settings for the device, which is a process of its own: "all", "profiled:2".
std::string checks, failing;
int device_fd = -1, vault_fd = -1;

void meet_device() {
  const char* place = std::getenv("LOCKSTEP_DEVICE");
  if (place == nullptr) return;
  device_fd = std::atoi(place + std::strlen("fd:"));
  char c = 0;
  iovec data{&c, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof vault_fd)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (recvmsg(device_fd, &message, 0) != 1 || message.msg_controllen == 0) return;
  std::memcpy(&vault_fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof vault_fd);
  std::string line(1, c);
  while (read(device_fd, &c, 1) == 1 && c != '\n') line += c;
  is_first = line.ends_with(" first");
  std::istringstream(line) >> checks >> failing;
}

// As the device counted them. The second one is made to fail.
Json calls_made() {
  if (call_failed && (fault == "translates_it" || fault.starts_with("prints_")))
    return fault == "prints_and_goes_on" ? Json{"cudaMalloc", "cudaMemset", "cudaMemcpy"}
                                         : Json{"cudaMalloc", "cudaMemset", "cudaFree"};
  if (call_failed && fault.starts_with("finds_another_way"))
    return {"cudaMalloc", "cudaMemset", "cudaMemsetAsync", "cudaMemcpy", "cudaFree"};
  if (call_failed && fault.starts_with("returns_early")) return {"cudaMalloc", "cudaMemset", "cudaFree"};
  return {"cudaMalloc", "cudaMemset", "cudaMemcpy", "cudaFree"};
}

void write_report() {
  if (device_fd < 0 || fault == "no_report" || (fault == "no_report_of_calls" && !failing.empty())) return;
  if (fault == "crashes_the_device_at_3456" && elements == 3456) {
    const std::string text = "crash: a launch for 3456 elements";
    send(device_fd, text.data(), text.size(), MSG_NOSIGNAL);
    return;
  }
  // Under checks, a finding of each kind that WARPLADDER_FAKE_FINDING names, in a process with a case of that size.
  const char* size = std::getenv("WARPLADDER_FAKE_FINDING_AT");
  const char* cases = std::getenv("WARPLADDER_FAKE_FINDING_AFTER");  // so many of them in one process
  const bool is_found = checks == "all" && (size == nullptr || largest >= std::stoul(size)) &&
                        (cases == nullptr || jobs_so_far > std::stoul(cases));
  const char* kind = is_found ? std::getenv("WARPLADDER_FAKE_FINDING") : nullptr;
  Json findings = Json::array();
  std::istringstream kinds(kind != nullptr ? kind : "");
  for (std::string one; std::getline(kinds, one, ',');) findings.push_back({{"kind", one}, {"message", "two writes"}});
  // A finding in the measured run alone, whatever is checked there.
  const char* measured = elements == 5000 ? std::getenv("WARPLADDER_FAKE_MEASURED_FINDING") : nullptr;
  if (measured != nullptr) findings.push_back({{"kind", measured}, {"message", "two writes"}});
  if (call_failed) findings.push_back({{"kind", "injected_error"}, {"message", "call 2, cudaFree"}});
  // A sector for each element is more than enough, unless the host did the work.
  const size_t bytes = fault == "on_the_host" ? 0 : 32 * elements;
  const Json counters = {
      {"barriers", 20}, {"elements", elements}, {"global_bytes_loaded", bytes}, {"global_bytes_stored", bytes}};
  const Json launch = {{"kernel", "k"}, {"grid", {2, 1, 1}}, {"block", {32, 1, 1}}, {"counters", counters}};
  const char* end = fault == "no_goodbye" || fault == "hang" ? "gone" : "orderly";
  Json whole = {{"launches", {launch}}, {"findings", findings}, {"end", end}};
  if (fault == "illegal_address")
    whole["failed_call_lines"] = {{{"kernel k wrote 4 bytes outside"}, {"  Next: look."}}};
  if (fault == "hang") whole["stopped_at"] = "kernel k was stopped in the loop of line 3\n  Next: end it.";
  if (!failing.empty()) whole["calls"] = calls_made();
  const std::string report = whole.dump();
  send(device_fd, report.data(), report.size(), MSG_NOSIGNAL);
}

// Makes two CUDA calls. If the second one is to fail, the faults are ways to ignore that. False: this was the answer.
bool call_cuda(const Json& job) {
  const bool calls_on = fault == "calls_slowly_and_on";
  call_failed = job["profiled"] && (failing == "profiled:1" || failing == "profiled:2" || calls_on);
  if (!call_failed) return true;
  if (calls_on) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  Json error = {{"id", job["id"]}, {"status", "cuda"}, {"code", 999}, {"name", "cudaErrorUnknown"}, {"file", "a.cu"}};
  if (failing == "profiled:2") {
    if (fault == "goes_on" || fault.starts_with("returns_early") || fault.starts_with("finds_another_way")) return true;
    if (fault.starts_with("prints_")) return std::fprintf(stderr, "a call failed\n"), true;
    if (fault == "exits_with_0") std::exit(0);
    if (fault == "aborts_for_it") std::abort();
    if (fault == "runs_out_of_memory" || fault == "reads_null") {
      const Json id = fault == "reads_null" ? Json(0) : job["id"];
      return say(Json{{"id", id}, {"status", "memory"}, {"about", "bad_alloc"}}.dump() + "\n"), false;
    }
    if (fault == "translates_it") error["code"] = 101;
    if (fault == "crashes_for_it") std::raise(SIGSEGV);
    if (fault == "sees_what_follows") error["code"] = 700;
    if (fault == "seen_by_the_runner") return error.erase("file"), say(error.dump() + "\n"), false;
    if (fault == "gives_up") std::exit(1);  // it has noticed the error
  }
  write_report();  // the judge may end this process when it has the answer
  say(error.dump() + "\n");
  std::exit(1);
}

FILE* jobs = nullptr;

Json ask_judge(const Json& job, const char* status) {
  say(Json{{"id", job["id"]}, {"status", status}}.dump() + "\n");
  char line[4096];
  if (std::fgets(line, sizeof line, jobs) == nullptr) std::exit(1);
  return Json::parse(line);
}

// The words that the judge asks for at the end of a timed call.
void show(const Json& job, const unsigned char* out, int64_t value) {
  Json words = Json::array();
  for (const size_t at : ask_judge(job, "called").at("show").get<std::vector<size_t>>()) {
    uint32_t word = 0;
    std::memcpy(&word, out + at, sizeof word);
    words.push_back(word);
  }
  say(Json{{"id", job["id"]}, {"status", "shown"}, {"value", value}, {"words", words}}.dump() + "\n");
}

// WARPLADDER_FAKE_DEVICE_MS, or null. One fault halves it in every second call. Two faults double it for the rung below
// after the seven calls that it makes alone; one of the two does so only in the 13 calls beside this code.
Json device_ms(const Json& job) {
  const char* text = std::getenv("WARPLADDER_FAKE_DEVICE_MS");
  if (text == nullptr) return nullptr;
  static int calls = 0;
  ++calls;
  const bool is_half = fault == "fast_by_turns" && job["entry"] == "reduce_sum_block" && calls % 2 == 0;
  const bool is_double = job["entry"] == "reduce_sum" && calls > 7 &&
                         (fault == "warms_up" || (fault == "holds_up_the_baseline" && calls <= 7 + 13));
  return std::atof(text) * (is_half ? 0.5 : is_double ? 2 : 1);
}

void reply(const Json& job, int64_t value, const Json& device_ms) {
  const int64_t returned = call_failed && fault == "returns_early_with_another_value" ? value + 1 : value;
  const Json text = {{"id", job["id"]},  {"status", "ok"}, {"value", returned},    {"device_ms", device_ms},
                     {"events_ms", 1.5}, {"host_ms", 2.5}, {"copy_gb_per_s", 4000}};
  say(text.dump() + "\n");
  if (fault == "answers_twice") say(text.dump() + "\n");
}

// What lockstep's device does in a sealed job: it hands the arrays over, and counts what crossed.
void tell_vault(const Json& job, VaultHeader& header) {
  header.to_host += fault == "fetches_everything" ? job["in_bytes"].get<size_t>() : 4;
  header.from_host += fault == "sends_everything" ? 1'000'000 : 24;
  if (fault != "keeps_the_arrays") header.handed_over = header.job;
  header.busy = fault == "still_runs";
}

void answer_sealed(const Json& job) {
  struct stat facts {};
  if (fstat(vault_fd, &facts) != 0) std::abort();
  const auto bytes = static_cast<size_t>(facts.st_size);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, vault_fd, 0);
  if (memory == MAP_FAILED) std::abort();
  auto* const vault = static_cast<unsigned char*>(memory);
  const ResultLayout layout{job["in_bytes"], job["out_bytes"], 0};
  std::vector<unsigned char> result(layout.total());
  const int64_t value = work(job, vault + kVaultArrays, result.data(), layout);
  // A device knows only what the judge wrote here.
  const VaultHeader& given = *static_cast<VaultHeader*>(memory);
  const ResultLayout taken{given.in_bytes, given.out_bytes, 0};
  std::memcpy(vault + kVaultArrays + taken.in_bytes, result.data(), std::min(taken.total(), layout.total()));
  tell_vault(job, *static_cast<VaultHeader*>(memory));
  munmap(memory, bytes);
  reply(job, value, nullptr);
}

void answer(const Json& job) {
  misbehave(job);
  elements += job["n"].get<size_t>();
  largest = std::max(largest, job["n"].get<size_t>());
  ++jobs_so_far;
  if (!call_cuda(job)) return;
  if (job["sealed"]) return answer_sealed(job);
  const bool timed = job["timed"];
  if (timed) ask_judge(job, "set");
  const ResultLayout layout{job["in_bytes"], job["out_bytes"], job["guard"]};
  const auto* in = static_cast<unsigned char*>(mmap(nullptr, layout.in_bytes + 1, PROT_READ, MAP_PRIVATE, kInputFd, 0));
  auto* result =
      static_cast<unsigned char*>(mmap(nullptr, layout.total() + 1, PROT_READ | PROT_WRITE, MAP_SHARED, kResultFd, 0));
  if (fault == "writes_input") {
    // The kernel must refuse it.
    if (mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, kInputFd, 0) != MAP_FAILED) std::abort();
    if (ftruncate(kResultFd, 0) == 0) std::abort();
  }
  if (timed && fault == "called_early") show(job, result + layout.out_data(), 0);
  const int64_t value = work(job, in, result, layout);
  if (timed && fault != "called_early" && fault != "never_called") show(job, result + layout.out_data(), value);
  munmap(const_cast<unsigned char*>(in), layout.in_bytes + 1);
  munmap(result, layout.total() + 1);
  reply(job, value, device_ms(job));
}

}  // namespace

int main() {
  fault = std::getenv("WARPLADDER_FAKE_FAULT") != nullptr ? std::getenv("WARPLADDER_FAKE_FAULT") : "";
  meet_device();
  if (fault == "static_exit") std::exit(0);
  if (fault == "start_hang") hang();
  if (fault == "blames_the_machine") {
    say("{\"status\":\"fault\",\"about\":\"device\",\"text\":\"none\"}\n");
    return 1;
  }
  std::vector<std::string> entries = {"scan_inclusive", "reduce_sum", "reduce_sum_block", "histogram"};
  if (fault == "no_entry") entries.clear();
  say(Json{{"status", "ready"}, {"entries", entries}, {"device", "fake"}}.dump() + "\n");
  if (fault == "answers_unasked") {
    say("{\"id\":1,\"status\":\"ok\",\"value\":0}\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  jobs = fdopen(kJobsFd, "r");
  char line[4096];
  while (std::fgets(line, sizeof line, jobs) != nullptr) {
    const Json job = Json::parse(line);
    if (job.contains("quit")) break;
    answer(job);
  }
  if (fault == "stop_hang") hang();
  if (fault == "stop_exit_4") return 4;
  write_report();
  return 0;
}
