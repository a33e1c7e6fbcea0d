// ptx_golden_test: every .ptx file under tests/ptx, run on lockstep under each kind of schedule. The results of a file
// must not depend on the order in which warps and blocks run. ptx_golden_card compares the same files with a real card;
// on an H200 all hold that are not marked lockstep-only.
#include <gtest/gtest.h>

#include "device/emulated_device.h"
#include "tests/ptx/golden.h"

namespace lockstep::golden {
namespace {

const std::filesystem::path kFolder = PTX_FOLDER;

class PtxGolden : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(PtxGolden, HoldsItsPromises) {
  const Golden golden = read_golden(GetParam());
  ASSERT_FALSE(golden.launches.empty() && golden.fails == Status::kOk) << "nothing is launched";
  ASSERT_FALSE(golden.expectations.empty() && golden.printed.empty() && golden.fails == Status::kOk)
      << "nothing is promised";
  for (const Schedule schedule : {Schedule{Schedule::kForward, 0}, Schedule{Schedule::kReverse, 0},
                                  Schedule{Schedule::kRandom, 1}, Schedule{Schedule::kRandom, 2}}) {
    DeviceOptions options;
    options.schedule = schedule;
    const auto device = EmulatedDevice::create(options);
    for (const std::string& difference : run_golden(golden, *device))
      ADD_FAILURE() << GetParam().string() << ", schedule " << schedule.kind << ":" << schedule.seed << "\n"
                    << difference;
  }
}

// "atomics/add_u32.ptx" → "atomics_add_u32"
std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = std::filesystem::relative(info.param, kFolder).replace_extension().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Ptx, PtxGolden, testing::ValuesIn(find_goldens(kFolder)), test_name);

}  // namespace
}  // namespace lockstep::golden
