// classes: how fast lockstep runs each kind of instruction. Each kind has a small kernel: a loop around many
// instructions of the kind. Arguments: iterations of the loops, threads of the host, and names of classes (none: all).
// Prints a line for each class: its name, the counted thread-instructions, and the launch's seconds, wall clock and
// processor time. Passes no verdict.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>

#include "device/emulated_device.h"

namespace {

using namespace lockstep;

struct Class {
  const char* name;
  const char* setup;  // before the loop
  const char* body;   // kUnrolled times in the loop; # is the number of the copy
};

constexpr int kUnrolled = 16;
constexpr uint32_t kBlocks = 64, kThreads = 256;
constexpr uint64_t kBytes = uint64_t{kBlocks} * kThreads * 64;

// %r1: the thread's index in the block, %r2: in the grid; %rd1: kBytes of memory; %r20 and s: 16 KiB of shared memory.
const Class kClasses[] = {
    {"integer arithmetic", "",
     "add.s32 %r3, %r3, %r1; xor.b32 %r4, %r4, %r3; mad.lo.s32 %r5, %r3, %r4, %r5; shr.u32 %r6, %r5, 3;"},
    {"64-bit integers", "",
     "add.s64 %rd3, %rd3, %rd2; mad.wide.s32 %rd4, %r1, %r2, %rd3; xor.b64 %rd5, %rd5, %rd4; shl.b64 %rd6, %rd5, 3;"},
    {"float", "",
     "add.f32 %f3, %f3, %f1; mul.f32 %f4, %f3, %f2; fma.rn.f32 %f5, %f3, %f4, %f5; min.f32 %f6, %f5, %f1;"},
    {"double", "",
     "add.f64 %d3, %d3, %d1; mul.f64 %d4, %d3, %d2; fma.rn.f64 %d5, %d3, %d4, %d5; max.f64 %d6, %d5, %d1;"},
    {"division and root", "", "div.rn.f32 %f3, %f1, %f2; sqrt.rn.f32 %f4, %f1; rcp.rn.f32 %f5, %f2;"},
    {"special functions", "",
     "ex2.approx.f32 %f3, %f1; lg2.approx.f32 %f4, %f2; sin.approx.f32 %f5, %f1; rsqrt.approx.f32 %f6, %f2;"},
    {"conversions", "",
     "cvt.rn.f32.s32 %f3, %r1; cvt.rzi.s32.f32 %r3, %f1; cvt.s64.s32 %rd3, %r1; cvt.f64.f32 %d3, %f1;"},
    {"predicates", "", "setp.lt.s32 %p1, %r1, %r3; selp.b32 %r4, %r1, %r2, %p1; @%p1 add.s32 %r3, %r3, %r1;"},
    {"uniform branches", "", "setp.ge.u32 %p1, %r2, 0; @%p1 bra T#; add.s32 %r3, %r3, 1; T#: add.s32 %r4, %r4, 1;"},
    {"divergent branches", "and.b32 %r7, %r1, 1; setp.eq.s32 %p2, %r7, 0;",
     "@%p2 bra T#; add.s32 %r3, %r3, 1; bra.uni E#; T#: add.s32 %r4, %r4, 1; E#: add.s32 %r5, %r5, 1;"},
    {"coalesced loads", "", "ld.global.u32 %r3, [%rd7]; ld.global.f32 %f3, [%rd7+65536];"},
    {"coalesced stores", "", "st.global.u32 [%rd7], %r1; st.global.f32 [%rd7+65536], %f1;"},
    {"coalesced vectors", "",
     "ld.global.v4.f32 {%f3, %f4, %f5, %f6}, [%rd8]; st.global.v4.f32 [%rd8], {%f3, %f4, %f5, %f6};"},
    {"coalesced doubles", "", "ld.global.f64 %d3, [%rd9]; st.global.f64 [%rd9], %d3;"},
    {"coalesced bytes", "", "ld.global.u8 %r3, [%rd10]; st.global.u8 [%rd10], %r3;"},
    {"strided access", "shl.b32 %r7, %r2, 6; cvt.u64.u32 %rd6, %r7; add.s64 %rd6, %rd1, %rd6;",
     "ld.global.u32 %r3, [%rd6]; st.global.u32 [%rd6], %r3;"},
    {"scattered access",
     "mul.lo.s32 %r7, %r2, -1640531535; shr.u32 %r7, %r7, 12; and.b32 %r7, %r7, 1048572; cvt.u64.u32 %rd6, %r7;"
     "add.s64 %rd6, %rd1, %rd6;",
     "ld.global.u32 %r3, [%rd6]; st.global.u32 [%rd6], %r3;"},
    {"half-full warps", "and.b32 %r7, %r1, 16; setp.eq.s32 %p2, %r7, 0;",
     "@%p2 ld.global.u32 %r3, [%rd7]; @%p2 add.s32 %r3, %r3, 1; @%p2 st.global.u32 [%rd7], %r3;"},
    {"shared memory", "shl.b32 %r7, %r1, 2; add.s32 %r7, %r20, %r7;",
     "ld.shared.u32 %r3, [%r7]; st.shared.u32 [%r7], %r1;"},
    {"shared vectors", "shl.b32 %r7, %r1, 4; add.s32 %r7, %r20, %r7;",
     "ld.shared.v4.f32 {%f3, %f4, %f5, %f6}, [%r7]; st.shared.v4.f32 [%r7], {%f3, %f4, %f5, %f6};"},
    {"shared, one word for all", "", "ld.shared.u32 %r3, [s]; ld.shared.u32 %r4, [s+64];"},
    {"shared, 8-way conflicts", "and.b32 %r7, %r1, 127; shl.b32 %r7, %r7, 5; add.s32 %r7, %r20, %r7;",
     "ld.shared.u32 %r3, [%r7]; st.shared.u32 [%r7], %r1;"},
    {"global atomics, apart", "", "red.global.add.u32 [%rd7], %r1; atom.global.add.u32 %r3, [%rd7+65536], 1;"},
    {"global atomics, one word", "", "red.global.add.u32 [%rd1], 1; red.global.add.u32 [%rd1+64], %r1;"},
    {"shared atomics", "and.b32 %r7, %r1, 15; shl.b32 %r7, %r7, 2; add.s32 %r7, %r20, %r7;",
     "red.shared.add.u32 [%r7], 1; atom.shared.add.u32 %r3, [%r7], %r1;"},
    {"shuffles and votes", "",
     "shfl.sync.bfly.b32 %r3, %r1, 16, 31, -1; shfl.sync.up.b32 %r4, %r3, 1, 0, -1;"
     "vote.sync.ballot.b32 %r5, %p2, -1; vote.sync.any.pred %p3, %p2, -1;"},
    {"barriers", "", "bar.sync 0; add.s32 %r3, %r3, 1;"},
    {"calls", "",
     "{.param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call.uni (b), twice, (a); ld.param.b32 %r3, [b];}"},
    {"local memory", "mov.u64 %rd6, l; cvta.local.u64 %rd6, %rd6; cvta.to.local.u64 %rd6, %rd6;",
     "st.local.u32 [%rd6], %r1; ld.local.u32 %r3, [%rd6];"},
};

std::string ptx(const Class& c) {
  std::string body;
  for (int copy = 0; copy < kUnrolled; ++copy)
    for (const char* at = c.body; *at; ++at) body += *at == '#' ? std::to_string(copy) : std::string(1, *at);
  return R"(.version 8.0
.target sm_75
.address_size 64
.func (.param .b32 result) twice(.param .b32 value)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [value];
  add.s32 %r2, %r1, %r1;
  st.param.b32 [result], %r2;
  ret;
}
.visible .entry loop(.param .u64 memory, .param .u32 iterations)
{
  .reg .pred %p<9>; .reg .b32 %r<40>; .reg .b64 %rd<20>; .reg .f32 %f<9>; .reg .f64 %d<9>;
  .shared .align 16 .b8 s[16384];
  .local .align 16 .b8 l[64];
  ld.param.u64 %rd1, [memory];
  ld.param.u32 %r30, [iterations];
  mov.u32 %r1, %tid.x;
  mov.u32 %r31, %ctaid.x;
  mad.lo.s32 %r2, %r31, 256, %r1;
  mov.u32 %r20, s;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd7, %rd1, %rd2;
  mul.wide.u32 %rd2, %r2, 16;
  add.s64 %rd8, %rd1, %rd2;
  mul.wide.u32 %rd2, %r2, 8;
  add.s64 %rd9, %rd1, %rd2;
  cvt.u64.u32 %rd2, %r2;
  add.s64 %rd10, %rd1, %rd2;
  cvt.rn.f32.s32 %f1, %r1;
  mov.f32 %f2, 0f3F8CCCCD;
  cvt.f64.f32 %d1, %f1;
  cvt.f64.f32 %d2, %f2;
)" + std::string(c.setup) +
         "\nLOOP:\n" + body + R"(
  sub.s32 %r30, %r30, 1;
  setp.ne.s32 %p7, %r30, 0;
  @%p7 bra LOOP;
  add.s32 %r3, %r3, %r4; add.s32 %r3, %r3, %r5; add.s32 %r3, %r3, %r6;
  cvt.u32.u64 %r7, %rd3; add.s32 %r3, %r3, %r7;
  st.global.u32 [%rd7], %r3; st.global.f32 [%rd7], %f6; st.global.f64 [%rd9], %d6;
  ret;
}
)";
}

[[noreturn]] void stop(const char* name, const Outcome& outcome) {
  std::fprintf(stderr, "%s: %s\n", name, outcome.message.c_str());
  std::exit(1);
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void measure(const Class& c, uint32_t iterations, uint32_t threads) {
  DeviceOptions options;
  options.memory_bytes = 64 << 20;
  options.threads = threads;
  const auto device = EmulatedDevice::create(options);
  uint64_t memory = 0;
  const std::string text = ptx(c);
  ModuleId module = 0;
  FunctionInfo function;
  if (const Outcome o = device->allocate(kBytes, &memory); !o.ok()) stop(c.name, o);
  if (const Outcome o = device->load_module({text}, &module); !o.ok()) stop(c.name, o);
  if (const Outcome o = device->find_function(module, "loop", &function); !o.ok()) stop(c.name, o);
  std::byte params[12];
  std::memcpy(params, &memory, 8);
  LaunchRequest request;
  request.function = function.id;
  request.grid = {kBlocks};
  request.block = {kThreads};
  request.params = params;
  double seconds = 0, processor = 0;
  for (const uint32_t count : {1u, iterations}) {  // the first launch warms up
    std::memcpy(params + 8, &count, 4);
    const auto begin = std::chrono::steady_clock::now();
    const double processor_begin = processor_seconds();
    if (const Outcome o = device->launch(request); !o.ok()) stop(c.name, o);
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    processor = processor_seconds() - processor_begin;
    if (const Outcome o = device->synchronise(); !o.ok()) stop(c.name, o);
  }
  const auto report = nlohmann::json::parse(device->report_json());
  const auto count = report["launches"].back()["counters"]["smsp__thread_inst_executed.sum"].get<uint64_t>();
  std::printf("%s\t%" PRIu64 "\t%.6f\t%.6f\n", c.name, count, seconds, processor);
}

}  // namespace

int main(int count, char** arguments) {
  const auto iterations = static_cast<uint32_t>(count > 1 ? std::atoi(arguments[1]) : 20);
  const auto threads = static_cast<uint32_t>(count > 2 ? std::atoi(arguments[2]) : 1);
  for (const Class& c : kClasses) {
    bool wanted = count <= 3;
    for (int i = 3; i < count; ++i) wanted |= std::strcmp(arguments[i], c.name) == 0;
    if (wanted) measure(c, iterations, threads);
  }
}
