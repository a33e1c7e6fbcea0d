#include "tests/count/single_access.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace lockstep::golden {
namespace {

std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

constexpr const char* kPrologue = R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 offsets, .param .u64 data, .param .u64 results, .param .u32 v)
{
.reg .pred %p<3>; .reg .b16 %h<10>; .reg .b32 %r<16>; .reg .b64 %rd<12>; .reg .b128 %q<10>;
.reg .f32 %f<10>; .reg .f64 %fd<10>;
.shared .align 128 .b8 s[32768];
.local .align 16 .b8 depot[1024];
mov.u32 %r1, %tid.x;
ld.param.u64 %rd1, [offsets];
ld.param.u64 %rd2, [data];
ld.param.u64 %rd5, [results];
ld.param.u32 %r10, [v];
add.u32 %r5, %r10, %r1;
mov.u32 %r6, %r1;
mov.u32 %r7, %r1;
mov.u32 %r8, %r1;
cvt.u64.u32 %rd7, %r5;
cvt.rn.f32.u32 %f1, %r5;
cvt.rn.f64.u32 %fd1, %r5;
cvt.rn.f16.u32 %h1, %r5;
mov.u16 %h2, 0;
mov.b32 %r12, {%h1, %h1};
mov.b128 %q1, {%rd7, %rd7};
mov.b128 %q2, {%rd1, %rd7};
mul.wide.u32 %rd4, %r1, 16;
add.u64 %rd6, %rd5, %rd4;
mul.wide.u32 %rd4, %r1, 4;
add.u64 %rd4, %rd1, %rd4;
ld.global.s32 %r2, [%rd4];
setp.lt.s32 %p1, %r2, 0;
@%p1 bra END;
mov.u32 %r4, s;
add.u32 %r3, %r4, %r2;
cvt.u64.u32 %rd8, %r2;
add.u64 %rd3, %rd2, %rd8;
mov.u32 %r4, depot;
add.u32 %r11, %r4, %r2;
add.u32 %r14, %r4, %r10;
)";

}  // namespace

std::vector<std::map<std::string, std::string>> read_csv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> header;
  std::vector<std::map<std::string, std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::vector<std::string> cells = split_csv(line);
    if (header.empty()) {
      header = cells;
      continue;
    }
    if (cells.size() != header.size()) throw std::runtime_error(path + ": this line has too few cells: " + line);
    auto& row = rows.emplace_back();
    for (size_t i = 0; i < header.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

std::vector<int32_t> parse_offsets(const std::string& text) {
  std::vector<int32_t> offsets;
  std::istringstream stream(text);
  for (int32_t offset; stream >> offset;) offsets.push_back(offset);
  return offsets;
}

std::string kernel_ptx(const std::string& statements) { return kPrologue + statements + "\nEND:\nret;\n}\n"; }

}  // namespace lockstep::golden
