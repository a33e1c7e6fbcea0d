// kernels_on_device: kernels of one shape, which tests launch one after the other on an emulated device, and what the
// report notes about each launch.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "device/emulated_device.h"

namespace lockstep {

inline constexpr uint64_t kBytes = 4096;

// %rd1, %rd2: arrays; %r1: the thread's number in the block; %rd3, %rd4: its elements of the arrays.
inline std::string kernel(const std::string& name, const std::string& body) {
  return ".visible .entry " + name + "(.param .u64 a, .param .u64 b)\n{\n" +
         ".reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .shared .align 16 .b8 s[1024];\n"
         "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; mov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %rd5, %r1, 4; add.u64 %rd3, %rd1, %rd5; add.u64 %rd4, %rd2, %rd5;\n" +
         body + "\nret;\n}\n";
}

// The text that loads from b by the index in %r3, which `index` makes.
inline std::string load_by(const std::string& index) {
  return index +
         "and.b32 %r3, %r3, 511; mul.wide.u32 %rd6, %r3, 4; add.u64 %rd7, %rd2, %rd6;\n"
         "ld.global.u32 %r4, [%rd7];";
}

class KernelsOnDevice : public testing::Test {
 protected:
  explicit KernelsOnDevice(const std::string& module_text)
      : device_(EmulatedDevice::create({.memory_bytes = 64 << 20})) {
    for (uint64_t* array : {&a_, &b_, &c_}) allocate(array);
    EXPECT_TRUE(device_->load_module({module_text}, &module_).ok());
  }

  void allocate(uint64_t* array) {
    EXPECT_TRUE(device_->allocate(kBytes, array).ok());
    EXPECT_TRUE(device_->fill(*array, 0, kBytes).ok());
  }

  void run(const char* kernel, uint64_t a, uint64_t b, uint32_t threads = 64, uint32_t blocks = 1) {
    FunctionInfo function;
    EXPECT_TRUE(device_->find_function(module_, kernel, &function).ok());
    const std::array<uint64_t, 2> params{a, b};
    LaunchRequest request;
    request.function = function.id;
    request.grid = {blocks, 1, 1};
    request.block = {threads, 1, 1};
    request.params = std::as_bytes(std::span(params));
    const Outcome outcome = device_->launch(request);
    EXPECT_TRUE(outcome.ok()) << outcome.message;
  }

  // Whether the last launch has a note with these words.
  bool last_has(const char* words) const {
    const auto launch = nlohmann::json::parse(device_->report_json())["launches"].back();
    bool found = false;
    for (const std::string note : launch.value("notes", nlohmann::json::array()))
      found |= note.find(words) != note.npos;
    return found;
  }

  // Whether the launch is doubtful because of what it finds.
  bool doubts(const char* kernel, uint64_t a, uint64_t b, uint32_t threads = 64) {
    run(kernel, a, b, threads);
    return last_has("an earlier launch left");
  }

  uint32_t fetch(uint64_t address) const {
    uint32_t number = 0;
    EXPECT_TRUE(device_->copy_out(&number, address, sizeof number).ok());
    return number;
  }

  std::unique_ptr<EmulatedDevice> device_;
  ModuleId module_ = 0;
  uint64_t a_ = 0, b_ = 0, c_ = 0;
};

}  // namespace lockstep
