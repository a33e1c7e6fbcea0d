// counters_test: single accesses of a warp as PTX, compared with the counts of an NVIDIA H200 for the same lane
// addresses (golden/*.csv, read by Nsight Compute, one launch per row; -1: the lane is not active). The column
// shared_wavefronts_ideal is left out: Nsight computes it from bytes, and lockstep reports no such counter.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "device/emulated_device.h"
#include "tests/count/single_access.h"

namespace lockstep {
namespace {

using golden::kernel_ptx;
using golden::parse_offsets;
using golden::read_csv;
using Cells = std::map<std::string, std::string>;

struct Recorded {
  std::string instruction;  // "ld.shared", "red.global.add.u32"
  std::string operand;      // of atomics: the value that is added
  int bytes = 4;            // the width of a lane's access
  std::vector<int32_t> offsets;
  std::map<std::string, uint64_t> expected;
  bool shared() const { return instruction.find("shared") != std::string::npos; }
};

Recorded to_row(const Cells& cells) {
  Recorded row;
  for (const auto& [name, text] : cells) {
    if (name == "instruction")
      row.instruction = text;
    else if (name == "operand")
      row.operand = text;
    else if (name == "bytes_per_lane")
      row.bytes = std::stoi(text);
    else if (name == "lane_byte_offsets")
      row.offsets = parse_offsets(text);
    else if (name != "offset_of_lane_l" && name != "shared_wavefronts_ideal" && !text.empty())
      row.expected[name] = std::stoull(text);
  }
  return row;
}

// The instruction under test. %r3: a shared address, %rd3: a global address.
std::string instruction_ptx(const Recorded& row) {
  const std::string address = row.shared() ? "[%r3]" : "[%rd3]";
  const std::string& name = row.instruction;
  const bool store = name.starts_with("st.");
  if (name.starts_with("ld.") || store) {
    const std::string type = row.bytes == 1 ? ".u8" : row.bytes == 4 ? ".u32" : row.bytes == 8 ? ".v2.u32" : ".v4.u32";
    const std::string data = row.bytes == 8 ? "{%r5,%r6}" : row.bytes == 16 ? "{%r5,%r6,%r7,%r8}" : "%r5";
    return name + type + " " + (store ? address + ", " + data : data + ", " + address) + ";\n";
  }
  if (name.starts_with("atomicAdd")) return "red.shared.add.u32 [%r3], 1;\n";
  const bool wide = name.ends_with("u64"), is_float = name.ends_with("f32"),
             typed = row.expected.size() && !row.operand.empty();
  std::string value = wide ? "%rd7" : is_float ? "%f1" : "%r5";
  if (row.operand == "1" || (row.operand.empty() && name.starts_with("red"))) value = "1";
  if (row.operand == "3 (literal)") value = "3";
  if (row.operand == "1000") value = "1000";
  if (name.find("cas") != std::string::npos) value = "0, %r5";
  const std::string full = typed ? name : name + ".u32";
  // The result must be used, or the atom becomes a reduction.
  if (name.starts_with("atom")) return full + " %r9, " + address + ", " + value + ";\nst.global.u32 [%rd6], %r9;\n";
  return full + " " + address + ", " + value + ";\n";
}

class Runner {
 public:
  Runner() : device_(EmulatedDevice::create({})) {
    device_->allocate(128, &offsets_);
    device_->allocate(golden::kDataBytes, &data_);
    device_->allocate(golden::kResultBytes, &results_);
  }

  // One launch of the kernel around these statements.
  void run(const std::string& statements, const std::vector<int32_t>& offsets) {
    EXPECT_EQ(offsets.size(), 32u);
    FunctionInfo f;
    Outcome outcome;
    if (const auto found = kernels_.find(statements); found != kernels_.end()) {
      f = found->second;
    } else {
      ModuleId module = 0;
      outcome = device_->load_module({kernel_ptx(statements)}, &module);
      if (outcome.ok()) outcome = device_->find_function(module, "k", &f);
      kernels_[statements] = f;
    }
    if (outcome.ok()) outcome = device_->copy_in(offsets_, offsets.data(), 128);
    if (outcome.ok()) outcome = device_->fill(data_, 0, golden::kDataBytes);
    golden::SingleAccessParams params{offsets_, data_, results_, golden::kUniform};
    LaunchRequest request{f.id, {1, 1, 1}, {32, 1, 1}, 0, false, std::as_bytes(std::span(&params, 1))};
    if (outcome.ok()) outcome = device_->launch(request);
    if (outcome.ok()) outcome = device_->synchronise();
    EXPECT_TRUE(outcome.ok()) << outcome.message << "\n" << kernel_ptx(statements);
  }

  // The report's entries of all launches so far.
  nlohmann::json launches() const { return nlohmann::json::parse(device_->report_json())["launches"]; }

 private:
  std::unique_ptr<EmulatedDevice> device_;
  std::map<std::string, FunctionInfo> kernels_;
  uint64_t offsets_ = 0, data_ = 0, results_ = 0;
};

std::string op_of(const Recorded& row) {
  const std::string op = row.instruction.substr(0, row.instruction.find('.'));
  return op == "red" || op.starts_with("atomicAdd") ? "red" : op;
}

// Our counters under the golden file's names, without the kernel's own load of the offsets: one request of four
// sectors.
std::map<std::string, uint64_t> counted(const Recorded& row, const nlohmann::json& c) {
  const std::string op = op_of(row);
  const uint64_t own_requests = op == "ld" ? 1 : 0, own_sectors = op == "ld" ? 4 : 0;
  std::map<std::string, uint64_t> result;
  if (row.shared()) {
    const std::string name = "mem_shared_op_" + (op == "red" ? "atom" : op) + ".sum";
    const uint64_t wavefronts = c.value("l1tex__data_pipe_lsu_wavefronts_" + name, uint64_t{0});
    const uint64_t conflicts = c.value("l1tex__data_bank_conflicts_pipe_lsu_" + name, uint64_t{0});
    result = {{"shared_wavefronts", wavefronts}, {"shared_bank_conflicts", conflicts}};
  } else {
    result = {{"global_requests",
               c.value("l1tex__t_requests_pipe_lsu_mem_global_op_" + op + ".sum", uint64_t{0}) - own_requests},
              {"global_sectors",
               c.value("l1tex__t_sectors_pipe_lsu_mem_global_op_" + op + ".sum", uint64_t{0}) - own_sectors}};
  }
  return result;
}

std::vector<std::string> mismatches(const std::string& file, size_t expected_rows) {
  Runner runner;
  std::vector<std::string> wrong;
  std::vector<Recorded> rows;
  for (const Cells& cells : read_csv(std::string(GOLDEN_FOLDER) + "/" + file)) {
    rows.push_back(to_row(cells));
    runner.run(instruction_ptx(rows.back()), rows.back().offsets);
  }
  EXPECT_EQ(rows.size(), expected_rows);
  const nlohmann::json launches = runner.launches();
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto ours = counted(rows[i], launches.at(i)["counters"]);
    for (const auto& [name, value] : rows[i].expected)
      if (const auto found = ours.find(name); found == ours.end() || found->second != value)
        wrong.push_back("line " + std::to_string(i + 2) + " " + rows[i].instruction + " " + rows[i].operand + " " +
                        name + ": H200 " + std::to_string(value) + ", ours " +
                        (found == ours.end() ? "none" : std::to_string(found->second)));
  }
  return wrong;
}

TEST(Counters, SingleAccesses) {
  const auto wrong = mismatches("single_access_h200.csv", 111);
  for (const auto& text : wrong) ADD_FAILURE() << text;
}

TEST(Counters, Atomics) {
  const auto wrong = mismatches("atomics_h200.csv", 248);
  for (const auto& text : wrong) ADD_FAILURE() << text;
}

// Rows whose cells are Nsight Compute's counters for the whole kernel.
std::vector<std::string> form_mismatches(const std::string& file, size_t expected_rows) {
  Runner runner;
  std::vector<std::string> wrong;
  const std::vector<Cells> rows = read_csv(std::string(GOLDEN_FOLDER) + "/" + file);
  EXPECT_EQ(rows.size(), expected_rows);
  for (const Cells& row : rows) runner.run(row.at("ptx"), parse_offsets(row.at("lane_byte_offsets")));
  const nlohmann::json launches = runner.launches();
  for (size_t i = 0; i < rows.size(); ++i) {
    const nlohmann::json& ours = launches.at(i)["counters"];
    for (const auto& [name, value] : rows[i]) {
      if (!name.ends_with(".sum")) continue;
      if (const auto count = ours.value(name, uint64_t{0}); count != std::stoull(value))
        wrong.push_back(name + ": H200 " + value + ", ours " + std::to_string(count) + "\n  " + rows[i].at("ptx") +
                        "\n  " + rows[i].at("lane_byte_offsets"));
    }
  }
  return wrong;
}

TEST(Counters, SharedForms) {
  for (const auto& text : form_mismatches("shared_forms_h200.csv", 443)) ADD_FAILURE() << text;
}

// Shared memory by generic addresses.
TEST(Counters, GenericForms) {
  for (const auto& text : form_mismatches("generic_forms_h200.csv", 208)) ADD_FAILURE() << text;
}

TEST(Counters, LocalForms) {
  for (const auto& text : form_mismatches("local_forms_h200.csv", 182)) ADD_FAILURE() << text;
}

TEST(Counters, GlobalForms) {
  for (const auto& text : form_mismatches("global_forms_h200.csv", 341)) ADD_FAILURE() << text;
}

TEST(Counters, MatrixForms) {
  for (const auto& text : form_mismatches("matrix_forms_h200.csv", 472)) ADD_FAILURE() << text;
}

// Addresses in 1 KiB to 12 KiB: complete, shifted, and without single lanes.
TEST(Counters, ScatteredAtomics) {
  for (const auto& text : form_mismatches("scattered_atomics_h200.csv", 591)) ADD_FAILURE() << text;
}

}  // namespace
}  // namespace lockstep
