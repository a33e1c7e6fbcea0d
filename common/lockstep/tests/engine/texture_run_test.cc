// texture_run_test: textures and surfaces of a device: what a kernel reads and writes through them, which accesses are
// faults or findings, and which counters they leave alone. The programs textures.cu and surfaces.cu compare many more
// fetches with the CPU.
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/words.h"
#include "device/emulated_device.h"
#include "tests/one_kernel.h"

namespace lockstep {
namespace {

using Json = nlohmann::json;

// 32 lanes: %r1 is the lane, %rd1 the texture's handle, and %rd2 the lane's own 16 bytes of the result.
std::string texture_kernel(const std::string& body) {
  return ".version 9.0\n.target sm_75\n.address_size 64\n.file 1 \"k.cu\"\n"
         ".visible .entry k(.param .u64 texture, .param .u64 out)\n{\n.reg .pred %p<4>; .reg .b16 %h<9>;"
         " .reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .f32 %f<20>;\n"
         "ld.param.u64 %rd1, [texture];\nld.param.u64 %rd2, [out];\nmov.u32 %r1, %tid.x;\n"
         "mad.wide.u32 %rd2, %r1, 16, %rd2;\ncvt.rn.f32.u32 %f1, %r1;\nadd.f32 %f2, %f1, 0f3F000000;\n"
         ".loc 1 12 0\n" +
         body + "\nret;\n}\n";
}

struct FetchResult {
  Outcome outcome;
  std::vector<uint32_t> words;  // 4 of each lane
  Json report;
};

class TextureRun : public testing::Test {
 protected:
  static DeviceOptions options() {
    DeviceOptions options;
    options.memory_bytes = 64 << 20;
    options.checks = {true, true, true, true, true};
    options.report = true;
    return options;
  }

  void SetUp() override { restart(); }

  // A fault stays with its device.
  void restart(const DeviceOptions& with = options()) {
    device_ = EmulatedDevice::create(with);
    ASSERT_TRUE(device_->allocate(kBytes, &array_).ok());
    ASSERT_TRUE(device_->allocate(512, &out_).ok());
    ASSERT_TRUE(device_->fill(out_, 0, 512).ok());
  }

  // Rows of 8 floats: 0, 1, 2, … in all of the memory.
  void fill_array() {
    std::vector<float> values(kBytes / 4);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    ASSERT_TRUE(device_->copy_in(array_, values.data(), kBytes).ok());
  }

  Texture texture(TextureUser user = TextureUser::kFetch) const {
    Texture t;
    t.address = array_;
    t.row_bytes = 32, t.slice_bytes = 128;
    t.width = 8, t.height = 4, t.slices = 2;
    t.user = user;
    return t;
  }

  uint64_t create(const Texture& t) {
    uint64_t handle = 0;
    EXPECT_TRUE(device_->create_texture(t, &handle).ok());
    return handle;
  }

  FetchResult run(uint64_t handle, const std::string& body, uint32_t threads = 32) {
    const uint64_t params[] = {handle, out_};
    LaunchRequest request;
    request.grid = {1, 1, 1}, request.block = {threads, 1, 1};
    request.params = std::as_bytes(std::span(params));
    FetchResult result;
    result.outcome = run_kernel(*device_, texture_kernel(body), request);
    result.words.resize(128);
    EXPECT_TRUE(device_->copy_out(result.words.data(), out_, 512).ok());
    result.report = Json::parse(device_->report_json());
    return result;
  }

  static float number(uint32_t word) { return std::bit_cast<float>(word); }
  // The first finding: "KIND LINE".
  static std::string finding(const FetchResult& result) {
    const Json& all = result.report.at("findings");
    if (all.empty()) return "none";
    return all[0].at("kind").get<std::string>() + " " + std::to_string(all[0].value("line", 0));
  }

  static constexpr uint64_t kBytes = 256;
  std::unique_ptr<EmulatedDevice> device_;
  uint64_t array_ = 0, out_ = 0;
};

const std::string kStoreFour = "st.global.v4.f32 [%rd2], {%f10, %f11, %f12, %f13};";

TEST_F(TextureRun, MissingChannelsAreZero) {
  fill_array();
  const FetchResult result =
      run(create(texture()), "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour);
  EXPECT_TRUE(result.outcome.ok()) << result.outcome.message;
  EXPECT_EQ(finding(result), "none");
  for (size_t l = 0; l < 32; ++l) {
    EXPECT_EQ(number(result.words[4 * l]), static_cast<float>(std::min<size_t>(l, 7)));
    EXPECT_EQ(result.words[4 * l + 3], 0u);
  }
}

TEST_F(TextureRun, ResultsMayBeHalvesAndAResidentPredicate) {
  fill_array();
  const FetchResult result = run(create(texture()),
                                 "tex.1d.v4.f16.f32 {%h1, %h2, %h3, %h4}|%p1, [%rd1, {%f2}];\n"
                                 "tex.1d.v2.f16x2.f32 {%r3, %r4}, [%rd1, {%f2}];\n"
                                 "mov.b32 %r5, {%h1, %h2}; selp.u32 %r6, 7, 0, %p1;\n"
                                 "st.global.v4.u32 [%rd2], {%r5, %r3, %r4, %r6};");
  EXPECT_TRUE(result.outcome.ok()) << result.outcome.message;
  EXPECT_EQ(result.words[4 * 3], 0x4200u);  // 3
  EXPECT_EQ(result.words[4 * 3 + 1], 0x4200u);
  EXPECT_EQ(result.words[4 * 3 + 2], 0u);
  EXPECT_EQ(result.words[4 * 3 + 3], 7u);
}

TEST_F(TextureRun, QueriesTellTheExtent) {
  Texture layers = texture();
  layers.order = Slices::kLayers;
  const std::string body =
      "txq.width.b32 %r2, [%rd1]; txq.height.b32 %r3, [%rd1]; txq.depth.b32 %r4, [%rd1];\n"
      "txq.array_size.b32 %r5, [%rd1];\nst.global.v4.u32 [%rd2], {%r2, %r3, %r4, %r5};";
  const std::vector<uint32_t> box = run(create(texture()), body).words;
  const std::vector<uint32_t> layered = run(create(layers), body).words;
  EXPECT_EQ(std::vector(box.begin(), box.begin() + 4), (std::vector<uint32_t>{8, 4, 2, 0}));
  EXPECT_EQ(std::vector(layered.begin(), layered.begin() + 4), (std::vector<uint32_t>{8, 4, 1, 2}));
  const FetchResult surface =
      run(create(texture(TextureUser::kSurface)), "suq.width.b32 %r2, [%rd1];\nst.global.u32 [%rd2], %r2;");
  EXPECT_EQ(surface.words[0], 8u);
}

TEST_F(TextureRun, ALayerThatDoesNotExistIsTheNearest) {
  fill_array();
  Texture layers = texture();
  layers.order = Slices::kLayers;
  const FetchResult result = run(create(layers),
                                 "sub.u32 %r2, %r1, 1;\ntex.a2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%r2, "
                                 "0f00000000, 0f00000000, 0f00000000}];\n" +
                                     kStoreFour);
  const float want[] = {0, 0, 32, 32};
  for (size_t l = 0; l < 4; ++l) EXPECT_EQ(number(result.words[4 * l]), want[l]) << l;
}

TEST_F(TextureRun, ASurfaceOutsideOfItsBoundsIsAFaultWithItsLine) {
  const FetchResult result = run(create(texture(TextureUser::kSurface)),
                                 "shl.b32 %r2, %r1, 2;\nsust.b.2d.b32.trap [%rd1, {%r2, 1}], {%r1};", 9);
  EXPECT_EQ(result.outcome.status, Status::kLaunchFailure);
  EXPECT_EQ(finding(result), "out_of_bounds 12");
  const Json& found = result.report.at("findings")[0];
  EXPECT_EQ(found.at("thread"), Json({8, 0, 0}));
  EXPECT_EQ(found.at("access"), "write");
  for (const char* words : {"x = 32 bytes, y = 1", "8 x 4 elements of 4 bytes", "a row has 32 bytes", "sizeof"})
    EXPECT_NE(plain(result.outcome.message).find(words), std::string::npos) << words << "\n" << result.outcome.message;
}

TEST_F(TextureRun, EveryCoordinateOfASurfaceHasBounds) {
  for (const char* place :
       {"{-4, 0, 0, 0}", "{0, 4, 0, 0}", "{0, -1, 0, 0}", "{0, 0, 2, 0}", "{0, 0, -1, 0}", "{29, 0, 0, 0}"}) {
    restart();
    const FetchResult result =
        run(create(texture(TextureUser::kSurface)),
            "suld.b.3d.b32.trap {%r2}, [%rd1, " + std::string(place) + "];\nst.global.u32 [%rd2], %r2;", 1);
    EXPECT_EQ(finding(result), "out_of_bounds 12") << place;
  }
}

TEST_F(TextureRun, ASurfaceThatIsNotAlignedIsAFault) {
  const FetchResult result = run(create(texture(TextureUser::kSurface)), "sust.b.1d.b32.trap [%rd1, {2}], {%r1};", 1);
  EXPECT_EQ(result.outcome.status, Status::kMisalignedAddress);
  EXPECT_EQ(finding(result), "misaligned 12");
}

TEST_F(TextureRun, AHandleMustNameAnObjectOfTheRightKind) {
  const std::string fetch = "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour;
  const uint64_t surface = create(texture(TextureUser::kSurface));
  const FetchResult wrong = run(surface, fetch);
  EXPECT_EQ(finding(wrong), "invalid_handle 12");
  EXPECT_NE(plain(wrong.outcome.message).find("is not a texture object"), std::string::npos)
      << plain(wrong.outcome.message);
  restart();
  const uint64_t handle = create(texture());
  EXPECT_TRUE(device_->destroy_texture(handle).ok());
  EXPECT_EQ(device_->destroy_texture(handle).status, Status::kInvalidValue);
  EXPECT_EQ(finding(run(handle, fetch)), "invalid_handle 12");
}

TEST_F(TextureRun, MemoryThatWasFreedIsAFault) {
  const uint64_t handle = create(texture());
  EXPECT_TRUE(device_->free(array_).ok());
  const FetchResult result = run(handle, "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour);
  EXPECT_EQ(result.outcome.status, Status::kIllegalAddress);
  EXPECT_EQ(finding(result), "use_after_free 12");
}

TEST_F(TextureRun, TexelsThatNothingHasWrittenAreFound) {
  ASSERT_TRUE(device_->fill(array_, 0, 16).ok());  // half of the first row
  const std::string fetch = "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour;
  Texture four = texture();
  four.width = 4;
  EXPECT_EQ(finding(run(create(four), fetch)), "none");
  EXPECT_EQ(finding(run(create(texture()), fetch)), "uninitialised_read 12");
}

// Only the lanes that read the fifth element with a weight read what is not written.
TEST_F(TextureRun, ATexelWithoutWeightIsNotRead) {
  ASSERT_TRUE(device_->fill(array_, 0, 16).ok());
  Texture blended = texture();
  blended.filter = TextureFilter::kLinear;
  const std::string fetch = "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour;
  EXPECT_EQ(finding(run(create(blended), fetch, 4)), "none");
  EXPECT_EQ(finding(run(create(blended), "add.f32 %f2, %f2, 0f3E800000;\n" + fetch, 4)), "uninitialised_read 12");
}

TEST_F(TextureRun, SurfacesAreMemoryForTheRacesToo) {
  fill_array();
  const std::string exchange =
      "shl.b32 %r2, %r1, 2; and.b32 %r2, %r2, 28; xor.b32 %r3, %r2, 4;\n"
      "sust.b.1d.b32.trap [%rd1, {%r2}], {%r1};\n%s\n"
      "suld.b.1d.b32.trap {%r4}, [%rd1, {%r3}];\nst.global.u32 [%rd2], %r4;";
  const auto with = [&](const std::string& between) {
    std::string body = exchange;
    return body.replace(body.find("%s"), 2, between);
  };
  const uint64_t handle = create(texture(TextureUser::kSurface));
  EXPECT_EQ(finding(run(handle, with("bar.warp.sync -1;"), 8)), "none");
  EXPECT_EQ(finding(run(handle, with(""), 8)), "race 12");
}

// A fetch goes another way through the card than ld, so it must not appear in the counters of ld.
TEST_F(TextureRun, CountersOfLoadsAndStoresLeaveThemOut) {
  fill_array();
  const FetchResult result =
      run(create(texture()), "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour);
  const Json& launch = result.report.at("launches")[0];
  const Json& counters = launch.at("counters");
  EXPECT_EQ(counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 0);
  EXPECT_EQ(counters.at("global_bytes_loaded"), 0);
  EXPECT_EQ(counters.at("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"), 1);
  EXPECT_NE(launch.at("notes").dump().find("textures and surfaces are not counted"), std::string::npos);
  const FetchResult plain = run(0, "st.global.u32 [%rd2], %r1;");
  EXPECT_EQ(plain.report.at("launches")[1].value("notes", Json()).dump().find("textures"), std::string::npos);
}

TEST_F(TextureRun, TracesLeaveThemOut) {
  DeviceOptions traced = options();
  traced.trace = testing::TempDir() + "texture_run.trace";
  restart(traced);
  fill_array();
  run(create(texture()), "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour);
  std::ifstream in(traced.trace);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(text.find("\"op\":\"store\""), std::string::npos) << text;
  EXPECT_EQ(text.find("\"op\":\"load\""), std::string::npos) << text;
}

// The program can read such memory in place, so what kernels read of it is counted for the judge.
TEST_F(TextureRun, FetchesFromPinnedMemoryAreBytesOfTheHost) {
  uint64_t pinned = 0;
  ASSERT_TRUE(device_->allocate(kBytes, &pinned, MemoryKind::kPinned).ok());
  ASSERT_TRUE(device_->fill(pinned, 0, kBytes).ok());
  Texture t = texture();
  t.address = pinned;
  const FetchResult result =
      run(create(t), "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2}];\n" + kStoreFour);
  EXPECT_EQ(result.report.at("launches")[0].at("counters").at("host_bytes_loaded"), 32) << "8 texels of 4 bytes";
}

TEST_F(TextureRun, AnObjectMustLieWithinOneAllocation) {
  uint64_t handle = 0;
  const auto created = [&](auto change) {
    Texture t = texture();
    change(t);
    return device_->create_texture(t, &handle).status;
  };
  EXPECT_EQ(created([](Texture&) {}), Status::kOk);
  EXPECT_EQ(created([](Texture& t) { t.slices = 3; }), Status::kInvalidValue);
  EXPECT_EQ(created([](Texture& t) { t.address += 4; }), Status::kInvalidValue);
  EXPECT_EQ(created([](Texture& t) { t.address = 0; }), Status::kInvalidValue);
  EXPECT_EQ(created([](Texture& t) { t.channels = 3; }), Status::kInvalidValue);
  EXPECT_EQ(handle, 0u);
}

// A narrower register would be written past its end.
TEST_F(TextureRun, RegistersOfAnotherWidthAreRefused) {
  for (const char* body : {"tex.1d.v4.f32.f32 {%f10, %h1, %f12, %f13}, [%rd1, {%f2}]; st.global.u16 [%rd2], %h1;",
                           "tex.1d.v4.f16.f32 {%h1, %h2, %h3, %f10}, [%rd1, {%f2}]; st.global.f32 [%rd2], %f10;",
                           "txq.width.b32 %h1, [%rd1]; st.global.u16 [%rd2], %h1;",
                           "tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%h1}]; st.global.f32 [%rd2], %f10;",
                           "suld.b.1d.v2.b64.trap {%rd3, %r2}, [%rd1, {%r1}]; st.global.u32 [%rd2], %r2;",
                           "sust.b.1d.b64.trap [%rd1, {%r1}], {%r2};"}) {
    ModuleId module = 0;
    FunctionInfo info;
    ASSERT_TRUE(device_->load_module({texture_kernel(body)}, &module).ok());
    const Outcome outcome = device_->find_function(module, "k", &info);
    EXPECT_EQ(outcome.status, Status::kInvalidPtx) << body;
    EXPECT_NE(plain(outcome.message).find("another width"), std::string::npos) << outcome.message;
  }
}

TEST_F(TextureRun, FormsThatAreNotSupportedAreRefusedByName) {
  const std::pair<const char*, const char*> cases[] = {
      {"tex.1d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, %rd2, {%f2}];", "separate samplers"},
      {"tex.2d.v4.f32.f32 {%f10, %f11, %f12, %f13}, [%rd1, {%f2, %f2}], {%r1, %r1};", "texel offsets"},
      {"suld.p.1d.v4.b32.trap {%r2, %r3, %r4, %r5}, [%rd1, {%r1}];", "formatted accesses"},
      {"sured.b.add.1d.u32.trap [%rd1, {%r1}], %r2;", "not supported"},
      {"txq.channel_order.b32 %r2, [%rd1];", "this query"},
  };
  for (const auto& [body, words] : cases) {
    const Outcome outcome = run(create(texture()), body).outcome;
    EXPECT_EQ(outcome.status, Status::kUnsupportedInstruction) << body;
    EXPECT_NE(plain(outcome.message).find(words), std::string::npos) << outcome.message;
  }
}

}  // namespace
}  // namespace lockstep
