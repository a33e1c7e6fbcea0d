// wire: the messages between a RemoteDevice and a device_server over a stream socket. A frame is a length, a kind, and
// a body of plain values in the machine's own layout, since both sides are built together. The data of copies and PTX
// goes through a window of shared memory. Nothing here knows what the messages mean.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace lockstep {

enum class Message : uint32_t {
  // Requests. A kReply follows each, except kSynchronise, kReadError, kStartProfiling, kPlace and kWork.
  kHello,
  kAllocate,
  kFree,
  kReserve,
  kAllocateReserved,
  kUnreserve,
  kCopyIn,
  kCopyOut,
  kCopyWithin,
  kFill,
  kCreateTexture,
  kDestroyTexture,
  kPlaceInput,
  kHandOver,
  kFindAddress,
  kMemoryInfo,
  kPtx,  // the window's first bytes are the next piece of a module
  kLoadModule,
  kUnloadModule,
  kFindFunction,
  kFindGlobal,
  kBlocksPerSm,
  kKernelLimits,
  kSetMaxDynamicShared,
  kLaunch,
  kSynchronise,
  kReadError,
  kCallFails,
  kStartProfiling,
  kPlace,
  kWork,  // the next requests are this work
  kUse,
  kTouched,
  kEnd,
  // From the device to the program.
  kReply,
  kAskHolds,  // while a kernel runs: does the program have something of its own at this address?
  kAskThreads,
  kAskLine,  // which source line does this call of the program stand in?
  // The program's answer to these three.
  kAnswer,
};

constexpr uint64_t kWireVersion = 0x4c4f434b53544507;  // changes when any message changes
constexpr uint64_t kTransferBytes = 4 << 20;           // the size of the window
constexpr uint64_t kMostPtx = 256 << 20;               // bytes of a module
constexpr uint64_t kMostStack = 512 << 10;             // bytes of a thread's stack, as a card has it
constexpr size_t kMostPlace = 4096;                    // bytes of the text that names a source line
constexpr uint32_t kMostRequest = 1 << 20;             // bytes of a request's body

// The other side broke the protocol.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename T>
constexpr bool kIsList = false;
template <typename T>
constexpr bool kIsList<std::vector<T>> = true;

// Plain values keep their layout. A text is its length and its bytes. A list is its length and its values.
class Writer {
 public:
  template <typename... T>
  Writer& put(const T&... values) {
    (append(values), ...);
    return *this;
  }
  const std::string& body() const { return body_; }

 private:
  template <typename T>
  void append(const T& value) {
    if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = value;
      append(static_cast<uint32_t>(text.size()));
      body_ += text;
    } else if constexpr (kIsList<T>) {
      append(static_cast<uint32_t>(value.size()));
      for (const auto& one : value) append(one);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      body_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  std::string body_;
};

// Throws WireError if the body is too short. A std::string_view is a view of the body.
class Reader {
 public:
  explicit Reader(std::string_view body) : rest_(body) {}
  template <typename T>
  T take() {
    if constexpr (std::is_same_v<T, std::string_view>) {
      return bytes(take<uint32_t>());
    } else if constexpr (std::is_same_v<T, std::string>) {
      return T(take<std::string_view>());
    } else if constexpr (kIsList<T>) {
      T values;
      for (auto count = take<uint32_t>(); count > 0; --count) values.push_back(take<typename T::value_type>());
      return values;
    } else if constexpr (std::is_same_v<T, bool>) {
      const auto value = take<uint8_t>();
      return value <= 1 ? value == 1 : throw WireError("a flag is " + std::to_string(value));
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      T value;
      std::memcpy(&value, bytes(sizeof value).data(), sizeof value);
      return value;
    }
  }
  // The rest of the message, which must hold exactly these.
  template <typename... T>
  std::tuple<T...> all() {
    std::tuple<T...> values{take<T>()...};
    if (!rest_.empty()) throw WireError(std::to_string(rest_.size()) + " bytes follow the message");
    return values;
  }

 private:
  std::string_view bytes(size_t count) {
    if (count > rest_.size()) throw WireError("the message is too short");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::string_view rest_;
};

struct Received {
  Message kind = Message::kHello;
  std::string body;
};

// One end of the socket.
class Connection {
 public:
  // most: bytes of the largest body that is accepted.
  Connection(int fd, uint32_t most) : fd_(fd), most_(most) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Both return false if the other side is gone. A queued message goes out with the next send(), or when the queue is
  // long.
  bool queue(Message kind, std::string_view body);
  // pass: a descriptor that goes with the message, or -1.
  bool send(Message kind, std::string_view body, int pass = -1);
  // No value: the other side is gone. Throws WireError for a body that is too long.
  std::optional<Received> receive();
  // The descriptor that came with a message; -1: none. The caller closes it.
  int take_passed();
  // Only a side that trusts the other accepts descriptors.
  void accept_passed() { accepts_passed_ = true; }

 private:
  bool fill();
  bool flush(int pass);

  const int fd_;
  const uint32_t most_;
  bool accepts_passed_ = false;
  int passed_ = -1;
  std::string outgoing_, incoming_;
  size_t read_ = 0;  // the part of incoming_ that has been read
};

}  // namespace lockstep
