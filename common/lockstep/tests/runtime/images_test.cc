// images_test: fat binaries that cannot be loaded, or only in part: when the program learns of it, and what is told.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/runtime/program.h"

namespace lockstep::runtime_test {
namespace {

struct BadImage {
  const char* name;
  std::vector<std::byte> entry;
  cudaError_t error;
  const char* advice;
};
void PrintTo(const BadImage& image, std::ostream* out) { *out << image.name; }
class RuntimeApiImages : public testing::TestWithParam<BadImage> {};

// Registration never fails. The first use of something that cannot be loaded fails.
TEST_P(RuntimeApiImages, AreRefusedAtFirstUse) {
  testing::internal::CaptureStderr();
  const Program program({GetParam().entry});
  char* d = nullptr;
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaSuccess);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(store(1, d), GetParam().error);
  EXPECT_EQ(cudaGetLastError(), GetParam().error);
  int value = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, &number_shadow, 4, 0, cudaMemcpyDeviceToHost), GetParam().error);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  __cudaInitModule(program.handle);
  ASSERT_NE(shared_number, nullptr);  // so that the host's own code does not crash
  *shared_number = 1;
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find(GetParam().advice), std::string::npos) << message;
  const size_t next = message.find("lockstep:   Next: ");
  EXPECT_NE(next, std::string::npos) << message;
  EXPECT_EQ(message.find("Next: ", next + 18), std::string::npos) << "told twice: " << message;
}
INSTANTIATE_TEST_SUITE_P(
    All, RuntimeApiImages,
    testing::Values(
        BadImage{"machine_code", fatbin_entry(kElfEntry, 90, kPlainFlags, "ELF"), cudaErrorNoKernelImageForDevice,
                 "code=compute_75"},
        BadImage{"link_time", fatbin_entry(kLtoEntry, 90, kZstdFlags, "IR"), cudaErrorNoKernelImageForDevice, "-dlto"},
        BadImage{"zstd", fatbin_entry(kPtxEntry, 75, kZstdFlags, "x"), cudaErrorInvalidKernelImage, "nvcc"},
        BadImage{"lz4", fatbin_entry(kPtxEntry, 75, kLz4Flags, "x"), cudaErrorInvalidKernelImage, "nvcc"},
        BadImage{"too_new", fatbin_entry(kPtxEntry, 120, kPlainFlags, "x"), cudaErrorNoKernelImageForDevice, "12.0"},
        BadImage{"damaged", std::vector<std::byte>(64), cudaErrorInvalidKernelImage, "nvcc"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(RuntimeApi, PtxThatCannotBeReadIsToldOf) {
  testing::internal::CaptureStderr();
  const Program program({fatbin_entry(kPtxEntry, 75, kPlainFlags, ".version 9.0\n.target sm_75\n.entry store( {")});
  EXPECT_EQ(store(1, nullptr), cudaErrorInvalidPtx);
  EXPECT_EQ(testing::internal::GetCapturedStderr().rfind("lockstep: ", 0), 0u);
}

TEST_F(RuntimeApi, AKernelThatCannotBeDecodedIsToldOf) {
  const std::string body = "{\n.reg .b32 %r1;\nadd.u32 %r1;\n}\n";
  testing::internal::CaptureStderr();
  const Program program(
      {fatbin_entry(kPtxEntry, 75, kPlainFlags, ".version 9.0\n.target sm_75\n.visible .entry store()\n" + body)});
  EXPECT_EQ(store(1, nullptr), cudaErrorInvalidPtx);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("PTX line 6"), std::string::npos);
}

TEST_F(RuntimeApi, NothingRegisteredMayBeAFatBinary) {
  const uint64_t nonsense[4] = {1, 2, 3, 4};
  void** handle = __cudaRegisterFatBinary(const_cast<uint64_t*>(nonsense));
  __cudaRegisterFunction(handle, &store_stub, nullptr, "store", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  EXPECT_EQ(store(1, nullptr), cudaErrorNoKernelImageForDevice);
  __cudaUnregisterFatBinary(handle);
  EXPECT_EQ(store(1, nullptr), cudaErrorInvalidResourceHandle);
}

// Both have a managed variable of the same name, as two libraries may.
TEST_F(RuntimeApi, ABinaryThatCannotBeLoadedUsesNothingOfAnother) {
  const Program good = plain_program();
  __cudaInitModule(good.handle);
  int* const of_good = shared_number;
  shared_number = nullptr;
  const Program bad({fatbin_entry(kElfEntry, 90, kPlainFlags, "ELF")});
  testing::internal::CaptureStderr();
  __cudaInitModule(bad.handle);
  testing::internal::GetCapturedStderr();
  ASSERT_NE(shared_number, nullptr);
  *shared_number = 9;
  EXPECT_EQ(*of_good, 5);
}

TEST_F(RuntimeApi, SeparatelyCompiledFilesAreSearchedOneAfterTheOther) {
  const auto linked = fatbin_container({});
  const auto other = fatbin_container({fatbin_entry(kPtxEntry, 75, kPlainFlags,
                                                    ".version 9.0\n.target sm_75\n"
                                                    ".address_size 64\n")});
  const auto library = fatbin_container({fatbin_entry(kElfEntry, 75, kZstdFlags, "x")});
  const auto main_file = fatbin_container({fatbin_entry(kPtxEntry, 75, kPlainFlags, kPtx)});
  const void* list[] = {other.data(), library.data(), main_file.data(), nullptr};
  FatbinWrapper wrapper{0x466243B1, 2, linked.data(), list};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &store_stub, nullptr, "store", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  char* d = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 4), cudaSuccess);
  EXPECT_EQ(store(1, d), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(RuntimeApi, PtxForNewerCardsRuns) {
  std::string newer = kPtx;
  newer.replace(newer.find("sm_75"), 5, "sm_120");
  const Program program({fatbin_entry(kElfEntry, 120, kPlainFlags, "ELF"),
                         fatbin_entry(kPtxEntry, 121, kPlainFlags, ".entry unreadable"),
                         fatbin_entry(kPtxEntry, 120, kPlainFlags, newer)});
  unsigned char *d = nullptr, value = 0;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&d), 1), cudaSuccess);
  EXPECT_EQ(store(7, d), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(&value, d, 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 7);
}

// nvcc puts libcudadevrt last, whose PTX is for newer cards. The reason is in the program's own file.
TEST_F(RuntimeApi, TheFirstFileWithoutPtxIsTheReason) {
  const auto linked = fatbin_container({});
  const auto own = fatbin_container({fatbin_entry(kElfEntry, 90, kPlainFlags, "ELF")});
  const auto library =
      fatbin_container({fatbin_entry(kElfEntry, 90, kZstdFlags, "x"), fatbin_entry(kPtxEntry, 121, kZstdFlags, "x")});
  const void* list[] = {own.data(), library.data(), nullptr};
  FatbinWrapper wrapper{0x466243B1, 2, linked.data(), list};
  void** handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &store_stub, nullptr, "store", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  testing::internal::CaptureStderr();
  EXPECT_EQ(store(1, nullptr), cudaErrorNoKernelImageForDevice);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find("but no PTX"), std::string::npos) << message;
}

}  // namespace
}  // namespace lockstep::runtime_test
