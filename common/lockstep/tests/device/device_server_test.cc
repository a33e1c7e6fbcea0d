// device_server_test: a device's server against clients that break the protocol, by rule and at random. The server must
// end the conversation with a reason, or continue. It must never crash, and never touch memory that it did not give out
// (the sanitizers' build checks this). api_test and api_calls_test test honest clients: their tests run through a
// server as well.
#include "device/device_server.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "engine/memory.h"

// An allocation of exactly so many bytes finds no memory; 0: all do.
static std::atomic<size_t> refused_bytes = 0;

void* operator new(size_t bytes) {
  void* const memory = bytes == refused_bytes && bytes != 0 ? nullptr : std::malloc(std::max<size_t>(bytes, 1));
  return memory ? memory : throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(std::max<size_t>(bytes, 1)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace lockstep {
namespace {

constexpr std::string_view kPtx = R"(.version 9.0
.target sm_75
.address_size 64
.visible .global .attribute(.managed) .align 4 .u32 number = 7;
.visible .entry store(.param .u32 value, .param .u64 to)
{
  .reg .u32 %r1;
  .reg .u64 %d1;
  ld.param.u32 %r1, [value];
  ld.param.u64 %d1, [to];
  st.global.u32 [%d1], %r1;
  ret;
}
)";

std::array<int, 2> connected() {
  std::array<int, 2> ends{};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  return ends;
}

// A server that runs in another thread. The test has the other end of the socket.
class Served {
 public:
  Served() : Served(connected()) {}
  ~Served() { end(); }

  int fd() const { return fd_; }
  char* window() const { return shared_.window(); }
  EmulatedDevice& device() { return *device_; }

  // Sends nothing more. Returns how the conversation ended.
  Ending end() {
    if (!thread_.joinable()) return ending_;
    shutdown(fd_, SHUT_WR);
    char rest[4096];
    while (read(fd_, rest, sizeof rest) > 0) {}
    thread_.join();
    close(fd_);
    return ending_;
  }

 private:
  explicit Served(std::array<int, 2> ends)
      : fd_(ends[0]),
        server_fd_(ends[1]),
        connection_(ends[1], kMostRequest),
        host_(connection_),
        shared_(shared_bytes(kMemory)) {
    options_.memory_bytes = kMemory;
    options_.checks = {true, true, true, true, true};
    options_.shared.file = shared_.fd();
    options_.shared.offset = kTransferBytes;
    options_.host = &host_;
    options_.failure = {3, true};
    device_ = EmulatedDevice::create(options_);
    thread_ = std::thread([this] {
      ending_ = serve(options_, connection_, host_, *device_, shared_);
      shutdown(server_fd_, SHUT_RDWR);  // as at the end of its process
    });
  }
  static constexpr uint64_t kMemory = 64 << 20;

  const int fd_, server_fd_;
  Connection connection_;
  RemoteHost host_;
  SharedFile shared_;
  DeviceOptions options_;
  std::unique_ptr<EmulatedDevice> device_;
  Ending ending_;
  std::thread thread_;
};

std::string frame(Message kind, std::string_view body, uint32_t bytes) {
  Writer whole;
  whole.put(bytes).put(kind);
  return whole.body() + std::string(body);
}
std::string frame(Message kind, const Writer& body = {}) {
  return frame(kind, body.body(), static_cast<uint32_t>(body.body().size()));
}
std::string greeting() { return frame(Message::kHello, Writer().put(kWireVersion)); }

// Sends these bytes and returns the ending's text.
std::string ending_of(const std::string& bytes) {
  Served served;
  EXPECT_EQ(send(served.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  return served.end().text();
}

TEST(DeviceServer, ProgramsThatGoAwayAreNoViolation) {
  EXPECT_EQ(ending_of(""), "gone");
  EXPECT_EQ(ending_of(greeting()), "gone");
  const std::string allocate =
      frame(Message::kAllocate, Writer().put(uint64_t{64}).put(MemoryKind::kPinned).put(uint64_t{0}));
  for (const size_t bytes : {size_t{1}, size_t{7}, size_t{8}, allocate.size() - 1})
    EXPECT_EQ(ending_of(greeting() + allocate.substr(0, bytes)), "gone");
  EXPECT_EQ(ending_of(greeting() + allocate + frame(Message::kEnd, Writer().put(uint8_t{1}))), "gone");
  EXPECT_EQ(ending_of(greeting() + allocate + frame(Message::kEnd, Writer().put(uint8_t{0}))), "orderly");
}

TEST(DeviceServer, WhatMakesNoSenseEndsTheConversationWithAReason) {
  Texture no_filter;
  no_filter.filter = static_cast<TextureFilter>(9);
  const auto region = [](uint64_t pitch, uint64_t width, uint64_t rows) {
    return Writer().put(uint64_t{4096}).put(pitch).put(width).put(rows);
  };
  const auto u64 = [](uint64_t value) { return Writer().put(value); };
  const uint8_t yes = 1, two = 2;
  const std::vector<std::pair<std::string, std::string>> cases = {
      {frame(Message::kHello, u64(kWireVersion)), "a second greeting"},
      {frame(Message::kReply), "a message of kind"},
      {frame(static_cast<Message>(4000000000u)), "a message of kind 4000000000"},
      {frame(Message::kLaunch, "", 0xffffffff), "a message of 4294967295 bytes"},
      {frame(Message::kLaunch, "", kMostRequest + 1), "a message of 1048577 bytes"},
      {frame(Message::kFree, u64(0)), "too short"},
      {frame(Message::kFree, u64(0).put(two)), "a flag is 2"},
      {frame(Message::kFree, u64(0).put(yes).put(yes)), "1 bytes follow"},
      {frame(Message::kAllocate, u64(4).put(static_cast<MemoryKind>(9)).put(uint64_t{0})), "memory of no kind"},
      {frame(Message::kReserve, u64(4).put(yes)), "1 bytes follow"},
      {frame(Message::kAllocateReserved), "too short"},
      {frame(Message::kCopyIn, region(0, kTransferBytes + 1, 1)), "larger than the window"},
      {frame(Message::kCopyIn, region(~uint64_t{0}, uint64_t{1} << 32, uint64_t{1} << 32)), "larger than the window"},
      {frame(Message::kFill, region(4, 8, 2).put(yes)), "rows that overlap"},
      {frame(Message::kFill, region(8, 8, 0).put(yes)), "a copy of nothing"},
      {frame(Message::kCopyOut, region(8, 8, 1).put(yes)), "a copy goes on"},
      {frame(Message::kCreateTexture, u64(1)), "too short"},
      {frame(Message::kCreateTexture, Writer().put(no_filter)), "a texture of no kind"},
      {frame(Message::kDestroyTexture), "too short"},
      {frame(Message::kPtx, u64(kTransferBytes + 1)), "too much PTX"},
      {frame(Message::kLoadModule, Writer().put(uint32_t{1}).put(uint64_t{1} << 30)), "less PTX"},
      {frame(Message::kPtx, u64(8)) + frame(Message::kLoadModule, Writer().put(uint32_t{0})), "more PTX"},
      {frame(Message::kLoadModule, Writer().put(~uint32_t{0})), "files"},
      {frame(Message::kFindFunction, Writer().put(ModuleId{1}).put(~uint32_t{0})), "too short"},
      {frame(Message::kCallFails, Writer().put(std::string(300, 'x'))), "a function's name"},
      {frame(Message::kAnswer, Writer().put(yes)), "a message of kind"},
  };
  for (const auto& [bytes, reason] : cases) {
    const std::string ending = ending_of(greeting() + bytes);
    EXPECT_TRUE(ending.starts_with("protocol violation: ")) << reason << ": " << ending;
    EXPECT_NE(ending.find(reason), std::string::npos) << reason << ": " << ending;
  }
  EXPECT_NE(ending_of(frame(Message::kMemoryInfo)).find("no greeting"), std::string::npos);
  EXPECT_NE(ending_of(frame(Message::kHello, u64(1))).find("another version"), std::string::npos);
  std::string much = greeting();
  for (uint64_t sent = 0; sent <= kMostPtx; sent += kTransferBytes) much += frame(Message::kPtx, u64(kTransferBytes));
  EXPECT_NE(ending_of(much).find("too much PTX"), std::string::npos);
}

// A request for something that does not exist is answered, and the device continues.
TEST(DeviceServer, WhatIsOnlyWrongIsAnswered) {
  const uint64_t most = ~uint64_t{0};
  std::string bytes = greeting();
  bytes += frame(Message::kAllocate, Writer().put(most).put(MemoryKind::kDevice).put(uint64_t{0}));
  bytes += frame(Message::kFree, Writer().put(most).put(uint8_t{0}));
  bytes += frame(Message::kReserve, Writer().put(most));
  bytes += frame(Message::kAllocateReserved, Writer().put(most));
  bytes += frame(Message::kUnreserve, Writer().put(most));
  bytes += frame(Message::kCopyWithin, Writer().put(most).put(most).put(most).put(uint64_t{1}).put(most).put(most));
  bytes += frame(Message::kFill, Writer().put(uint64_t{8}).put(most).put(most).put(uint64_t{1}).put(uint8_t{1}));
  Texture nowhere;
  nowhere.address = most;
  bytes += frame(Message::kCreateTexture, Writer().put(nowhere));
  bytes += frame(Message::kDestroyTexture, Writer().put(most));
  bytes += frame(Message::kFindAddress, Writer().put(most));
  bytes += frame(Message::kBlocksPerSm, Writer().put(FunctionId{7}).put(uint32_t{0}).put(most));
  bytes += frame(Message::kSetMaxDynamicShared, Writer().put(FunctionId{0}).put(most));
  bytes += frame(Message::kUnloadModule, Writer().put(ModuleId{99}));
  bytes += frame(Message::kLaunch, Writer()
                                       .put(FunctionId{5})
                                       .put(Dim3{~0u, ~0u, ~0u})
                                       .put(Dim3{~0u, ~0u, ~0u})
                                       .put(most)
                                       .put(uint8_t{1})
                                       .put(uint64_t{0})
                                       .put(""));
  bytes += frame(Message::kEnd, Writer().put(uint8_t{0}));
  EXPECT_EQ(ending_of(bytes), "orderly");
}

// Sends these bytes while allocations of one size find no memory. Returns the server, which has ended in order.
std::unique_ptr<Served> served_without(size_t bytes, const std::function<std::string(uint64_t array)>& messages) {
  auto served = std::make_unique<Served>();
  uint64_t array = 0;
  EXPECT_TRUE(served->device().allocate(64, &array).ok());
  const std::string all = greeting() + messages(array) + frame(Message::kEnd, Writer().put(uint8_t{0}));
  refused_bytes = bytes;
  send(served->fd(), all.data(), all.size(), MSG_NOSIGNAL);
  EXPECT_EQ(served->end().text(), "orderly");
  refused_bytes = 0;
  return served;
}

TEST(DeviceServer, APlaceThatFindsNoMemoryIsLeftOut) {
  const auto leak = [](size_t refused) {
    const auto served = served_without(refused, [](uint64_t array) {
      return frame(Message::kPlace, Writer().put(CallKind::kAllocation).put(array).put(std::string(kMostPlace, 'p')));
    });
    return served->device().report_json("");
  };
  EXPECT_NE(leak(0).find(std::string(kMostPlace, 'p')), std::string::npos);
  const std::string report = leak(kMostPlace + 1);  // a string's bytes
  EXPECT_NE(report.find("an allocation of 64 bytes"), std::string::npos);
  EXPECT_EQ(report.find("ppp"), std::string::npos);
}

// The program chooses these words. They stand in the report as text, and change nothing else in it.
TEST(DeviceServer, WordsOnFailedCallsAreText) {
  const auto report = [](size_t times) {
    const auto served = served_without(0, [&](uint64_t) {
      const std::string words = "a\033[2J\", \"launches\": []}\nNext: b";
      std::string all;
      for (size_t i = 0; i < times; ++i)
        all += frame(Message::kPlace, Writer().put(CallKind::kFailedCall).put(uint64_t{0}).put(words));
      return all;
    });
    return nlohmann::json::parse(served->device().report_json("orderly"));
  };
  const nlohmann::json without = report(0);
  nlohmann::json forged = report(1000);
  EXPECT_EQ(forged["failed_calls"].size(), 16u);
  EXPECT_EQ(forged["failed_calls"][0], "a?[2J\", \"launches\": []}\nNext: b");
  EXPECT_EQ(forged["failed_call_lines"][0][1], nlohmann::json({"Next: b"}));
  forged.erase("failed_calls");
  forged.erase("failed_call_lines");
  EXPECT_EQ(forged, without);
}

// They may be marked as words, however deep. The readers of the report go as deep as the report does.
TEST(DeviceServer, WordsOnFailedCallsAreNotDeep) {
  const auto served = served_without(0, [&](uint64_t) {
    std::string words;
    for (int i = 0; i < 800; ++i) words += "\1f\2k\3";
    return frame(Message::kPlace, Writer().put(CallKind::kFailedCall).put(uint64_t{0}).put(words));
  });
  const nlohmann::json report = nlohmann::json::parse(served->device().report_json("orderly"));
  int depth = 0;
  const auto* at = &report["failed_call_lines"][0][0];
  for (; !at->empty() && at->at(0).is_object(); at = &at->at(0).at("arguments").at("k")) ++depth;
  EXPECT_EQ(depth, 16);
}

// The list of streams has 2^15 to 2^16 entries of 16 bytes.
TEST(DeviceServer, WorkWhoseNumberFindsNoMemoryIsRefused) {
  const auto work = [](uint64_t number, size_t streams) {
    return frame(Message::kWork, Writer()
                                     .put(number, uint64_t{0}, uint64_t{0}, uint64_t{0}, uint32_t{1}, "cudaMemset")
                                     .put(std::vector<Task::Beside>(streams)));
  };
  const auto left = [&](size_t refused) {
    std::array<char, 2> bytes{5, 5};
    uint64_t at = 0;
    const auto served = served_without(refused, [&](uint64_t array) {
      at = array;
      const auto fill = [&](uint64_t address, uint8_t value) {
        return frame(Message::kFill, Writer().put(Region{address, 1, 1}).put(value));
      };
      return work(1, 1) + fill(array, 1) + fill(array + 1, 1) + work(2, 40'000) + fill(array, 2) + work(3, 1) +
             fill(array + 1, 3);
    });
    EXPECT_TRUE(served->device().take(bytes.data(), {at, 2, 2}).ok());
    return bytes;
  };
  EXPECT_EQ(left(0), (std::array<char, 2>{2, 3}));
  EXPECT_EQ(left((1 << 16) * sizeof(Task::Beside)), (std::array<char, 2>{1, 3}));
}

// Makes requests. Most have the right shape; their values are likely to cause errors.
class Fuzz {
 public:
  Fuzz(uint64_t seed, const AddressSpace& space) : random_(seed), space_(space) {}

  std::string message() {
    const auto kind = static_cast<Message>(random_() % (static_cast<uint64_t>(Message::kEnd) + 1));
    Writer body;
    if (random_() % 4 == 0) {
      for (uint64_t bytes = random_() % 80; bytes > 0; --bytes) body.put(static_cast<uint8_t>(random_()));
      return frame(kind, body);
    }
    switch (kind) {
      case Message::kAllocate:
        return frame(kind, body.put(value()).put(static_cast<uint8_t>(random_() % 4)).put(random_() % 520));
      case Message::kFree: return frame(kind, body.put(value()).put(flag()));
      case Message::kReserve:
      case Message::kAllocateReserved:
      case Message::kUnreserve: return frame(kind, body.put(value()));
      case Message::kCopyIn: return frame(kind, region(body));
      case Message::kCopyOut: return frame(kind, region(body).put(flag()));
      case Message::kCopyWithin: return frame(kind, region(body).put(value()).put(value()));
      case Message::kFill: return frame(kind, region(body).put(flag()));
      case Message::kPlaceInput: return frame(kind, body.put(value()).put(value()));
      case Message::kHandOver: return frame(kind, body.put(value()).put(value()));
      case Message::kPtx: return frame(kind, body.put(uint64_t{random_() % 3 * kPtx.size()}));
      case Message::kLoadModule: return frame(kind, body.put(uint32_t{1}).put(uint64_t{kPtx.size()}));
      case Message::kUnloadModule: return frame(kind, body.put(small()));
      case Message::kFindFunction: return frame(kind, body.put(small()).put("store"));
      case Message::kFindGlobal: return frame(kind, body.put(small()).put("number"));
      case Message::kBlocksPerSm: return frame(kind, body.put(small()).put(small()).put(value()));
      case Message::kSetMaxDynamicShared: return frame(kind, body.put(small()).put(value()));
      case Message::kCallFails: return frame(kind, body.put("cudaMalloc"));
      case Message::kPlace: return frame(kind, body.put(static_cast<uint8_t>(small() % 4)).put(value()).put("a.cu:3"));
      case Message::kEnd: return frame(kind, body.put(flag()));
      case Message::kLaunch: {
        const Dim3 grid{small(), small(), small()}, block{small(), small(), 1};
        body.put(small())
            .put(grid)
            .put(block)
            .put(random_() % 2 ? uint64_t{0} : value())
            .put(flag())
            .put(value() % 9999);
        const std::array<uint64_t, 2> params{value(), value()};
        return frame(kind, body.put(std::string_view(reinterpret_cast<const char*>(params.data()), random_() % 17)));
      }
      case Message::kFindAddress: return frame(kind, body.put(value()));
      default: return frame(kind, body);
    }
  }

 private:
  uint64_t value() {
    const uint64_t of_interest[] = {0,
                                    1,
                                    4,
                                    4096,
                                    kTransferBytes,
                                    ~uint64_t{},
                                    1ull << 63,
                                    1ull << 32,
                                    space_.begin,
                                    space_.begin + 4096,
                                    space_.end,
                                    space_.shared,
                                    space_.shared + 4096,
                                    space_.begin - 8};
    const uint64_t chosen = of_interest[random_() % std::size(of_interest)];
    return random_() % 3 ? chosen : chosen + random_() % 9 - 4;
  }
  Writer& region(Writer& body) {
    const uint64_t width = random_() % 2 ? 1 + random_() % 64 : value();
    return body.put(value()).put(random_() % 2 ? width : value()).put(width).put(random_() % 4 ? 1 : value());
  }
  uint32_t small() { return static_cast<uint32_t>(random_() % 4); }
  uint8_t flag() { return static_cast<uint8_t>(random_() % 20 == 0 ? 2 : random_() % 2); }

  std::mt19937_64 random_;
  const AddressSpace space_;
};

TEST(DeviceServer, RandomMessagesCrashNothing) {
  int violations = 0, others = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Served served;
    std::memcpy(served.window(), kPtx.data(), kPtx.size());
    std::memcpy(served.window() + kPtx.size(), kPtx.data(), kPtx.size());
    Fuzz fuzz(seed, served.device().address_space());
    // Load a module and allocate memory, so that random requests find something.
    std::string bytes =
        greeting() + frame(Message::kPtx, Writer().put(uint64_t{kPtx.size()})) +
        frame(Message::kLoadModule, Writer().put(uint32_t{1}).put(uint64_t{kPtx.size()})) +
        frame(Message::kFindFunction, Writer().put(ModuleId{1}).put("store")) +
        frame(Message::kAllocate, Writer().put(uint64_t{8192}).put(MemoryKind::kManaged).put(uint64_t{0})) +
        frame(Message::kAllocate, Writer().put(uint64_t{8192}).put(MemoryKind::kDevice).put(uint64_t{0}));
    for (int message = 0; message < 60; ++message) bytes += fuzz.message();
    if (seed % 3 == 0) bytes.resize(bytes.size() - seed % 40);
    send(served.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    const Ending ending = served.end();
    ++(ending.kind == Ending::kViolation ? violations : others);
    EXPECT_TRUE(nlohmann::json::accept(served.device().report_json(ending.text()))) << seed;
  }
  EXPECT_GT(violations, 0);
  EXPECT_GT(others, 0);
}

// PTX also comes from the program. PTX with random changes is refused or accepted, but never crashes the device.
TEST(DeviceServer, DamagedPtxIsRefused) {
  std::mt19937_64 random(1);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text(kPtx);
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
      const size_t at = random() % text.size(), bytes = random() % 12;
      switch (random() % 3) {
        case 0: text.erase(at, bytes); break;
        case 1: text.insert(at, text.substr(random() % text.size(), bytes)); break;
        default: text[at] = static_cast<char>(random());
      }
    }
    const auto device = EmulatedDevice::create({.memory_bytes = 1 << 20});
    ModuleId module = 0;
    FunctionInfo function;
    const bool taken =
        device->load_module({text}, &module).ok() && device->find_function(module, "store", &function).ok();
    refused += !taken;
  }
  EXPECT_GT(refused, 0);
}

// Runs on a stack of 256 KiB, so that far fewer calls fill it than in a program.
TEST(DeviceServer, ALongChainOfCallsNeedsNoLongStack) {
  std::string text = ".version 9.0\n.target sm_75\n.address_size 64\n.func f0()\n{\nret;\n}\n";
  for (int i = 1; i < 4000; ++i)
    text += ".func f" + std::to_string(i) + "()\n{\ncall.uni f" + std::to_string(i - 1) + ";\nret;\n}\n";
  text += ".visible .entry k()\n{\ncall.uni f3999;\nret;\n}\n";
  const auto find = [](void* ptx) -> void* {
    const auto device = EmulatedDevice::create({.memory_bytes = 1 << 20});
    ModuleId module = 0;
    FunctionInfo function;
    const bool found = device->load_module({*static_cast<std::string*>(ptx)}, &module).ok() &&
                       device->find_function(module, "k", &function).ok();
    return found ? ptx : nullptr;
  };
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 << 10);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, find, &text), 0);
  void* found = nullptr;
  pthread_join(thread, &found);
  pthread_attr_destroy(&attributes);
  EXPECT_NE(found, nullptr);
}

}  // namespace
}  // namespace lockstep
