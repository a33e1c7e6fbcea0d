// remote_device: a Device that sends its requests to a device_server in another process, for a program that must not
// change what the device counts and finds. This process reserves the addresses of device memory, so that the host puts
// nothing there; only the memory that CUDA maps for the host lies behind them.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/align.h"
#include "base/words.h"
#include "device/device.h"
#include "device/wire.h"
#include "engine/host.h"

namespace lockstep {
namespace {

constexpr uint32_t kMostReply = 256 << 20;  // bytes; the output of kernels comes in one reply
std::string gone_text() {
  return with_next(
      words("the emulated device is gone: its process has ended, or this process is a copy (fork) of the program's"),
      words("call CUDA only in the process that began with it."));
}

Outcome take_outcome(Reader& in) {
  const auto status = in.take<Status>();
  return {status, in.take<std::string>()};
}

class RemoteDevice : public Device {
 public:
  explicit RemoteDevice(int fd) : connection_(fd, kMostReply) {
    connection_.accept_passed();
    const bool sent = connection_.send(Message::kHello, Writer().put(kWireVersion).body());
    const std::optional<Received> received = sent ? connection_.receive() : std::nullopt;
    if (!received) throw std::runtime_error(gone_text());
    Reader in(received->body);
    if (const Outcome outcome = take_outcome(in); !outcome.ok()) throw std::runtime_error(outcome.message);
    limits_ = in.take<DeviceLimits>();
    space_ = in.take<AddressSpace>();
    plans_failure_ = in.take<bool>();
    watches_streams_ = in.take<bool>();
    const int file = connection_.take_passed();
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    take_addresses(file);
    close(file);
  }

  ~RemoteDevice() override { munmap(window_, kTransferBytes); }

  const DeviceLimits& limits() const override { return limits_; }

  Outcome allocate(uint64_t bytes, uint64_t* address, MemoryKind kind, uint64_t offset) override {
    *address = 0;
    Outcome outcome = request(Message::kAllocate, Writer().put(bytes, kind, offset), address);
    if (*address) open(*address, {bytes});
    return outcome;
  }

  Outcome free(uint64_t address, bool pinned) override {
    Outcome outcome = request(Message::kFree, Writer().put(address, pinned));
    const auto found = known_.find(address);
    if (!outcome.ok() || found == known_.end()) return outcome;
    reach(address, found->second.bytes, PROT_NONE);
    known_.erase(found);
    return outcome;
  }

  Outcome reserve(uint64_t bytes, uint64_t* address) override {
    *address = 0;
    return request(Message::kReserve, Writer().put(bytes), address);
  }
  Outcome allocate_reserved(uint64_t address) override {
    return request(Message::kAllocateReserved, Writer().put(address));
  }
  Outcome unreserve(uint64_t address) override { return request(Message::kUnreserve, Writer().put(address)); }

  Outcome copy_in(const Region& to, const void* from, uint64_t from_pitch) override {
    return in_pieces(to, [&](const Region& piece, uint64_t row, uint64_t column) {
      for (uint64_t i = 0; i < piece.rows; ++i)
        std::memcpy(window_ + i * piece.width, static_cast<const char*>(from) + (row + i) * from_pitch + column,
                    piece.width);
      return request(Message::kCopyIn, Writer().put(piece));
    });
  }

  Outcome copy_out(void* to, uint64_t to_pitch, const Region& from, CopyPart part) override {
    return in_pieces(from, [&](const Region& piece, uint64_t row, uint64_t column) {
      const Outcome outcome = request(Message::kCopyOut, Writer().put(piece, part));
      part = CopyPart::kLater;
      for (uint64_t i = 0; outcome.ok() && i < piece.rows; ++i)
        std::memcpy(static_cast<char*>(to) + (row + i) * to_pitch + column, window_ + i * piece.width, piece.width);
      return outcome;
    });
  }

  Outcome copy_within(const Region& to, uint64_t from, uint64_t from_pitch) override {
    return request(Message::kCopyWithin, Writer().put(to, from, from_pitch));
  }

  Outcome fill(const Region& to, uint8_t value) override { return request(Message::kFill, Writer().put(to, value)); }

  Outcome create_texture(const Texture& texture, uint64_t* handle) override {
    *handle = 0;
    return request(Message::kCreateTexture, Writer().put(texture), handle);
  }
  Outcome destroy_texture(uint64_t handle) override { return request(Message::kDestroyTexture, Writer().put(handle)); }

  Outcome place_input(uint64_t to, uint64_t bytes) override {
    return request(Message::kPlaceInput, Writer().put(to, bytes));
  }

  Outcome hand_over(uint64_t in, uint64_t out) override { return request(Message::kHandOver, Writer().put(in, out)); }

  // Every copy asks about its pointers. Allocations of the host are known here, without a request.
  AddressInfo find_address(uint64_t address) const override {
    if (address < space_.begin || address >= space_.end) return {};
    if (const auto after = known_.upper_bound(address); after != known_.begin())
      if (const auto& [base, known] = *std::prev(after); address - base < known.bytes)
        return {AddressKind::kDevice, base, known.bytes};
    AddressInfo info;
    request(Message::kFindAddress, Writer().put(address), &info.kind, &info.base, &info.bytes);
    return info;
  }

  void memory_info(uint64_t* free_bytes, uint64_t* total_bytes) const override {
    *free_bytes = *total_bytes = 0;
    request(Message::kMemoryInfo, {}, free_bytes, total_bytes);
  }

  Outcome load_module(const std::vector<std::string_view>& ptx, ModuleId* module) override {
    uint64_t total = 0;
    std::vector<uint64_t> lengths;
    for (const std::string_view text : ptx) total += lengths.emplace_back(text.size());
    if (total > kMostPtx)
      return {Status::kInvalidPtx,
              with_next(words("the program has {size} MiB of PTX; a device takes {most} MiB",
                              {{"size", std::to_string(total >> 20)}, {"most", std::to_string(kMostPtx >> 20)}}),
                        words("build for fewer architectures."))};
    for (const std::string_view text : ptx)
      for (uint64_t begin = 0; begin < text.size(); begin += kTransferBytes) {
        const std::string_view piece = text.substr(begin, kTransferBytes);
        std::memcpy(window_, piece.data(), piece.size());
        if (Outcome outcome = request(Message::kPtx, Writer().put(uint64_t{piece.size()})); !outcome.ok())
          return outcome;
      }
    return request(Message::kLoadModule, Writer().put(lengths), module);
  }

  Outcome unload_module(ModuleId module) override {
    std::erase_if(known_, [&](const auto& entry) {
      if (entry.second.module != module) return false;
      reach(entry.first, entry.second.bytes, PROT_NONE);
      return true;
    });
    return request(Message::kUnloadModule, Writer().put(module));
  }

  Outcome find_function(ModuleId module, std::string_view name, FunctionInfo* info) override {
    return request(Message::kFindFunction, Writer().put(module, name), &info->id, &info->name, &info->params,
                   &info->param_bytes, &info->static_shared_bytes, &info->local_bytes, &info->registers,
                   &info->max_threads_per_block, &info->ptx_version);
  }

  Outcome find_global(ModuleId module, std::string_view name, GlobalInfo* info) override {
    Outcome outcome = request(Message::kFindGlobal, Writer().put(module, name), info);
    if (outcome.ok()) open(info->address, {info->bytes, module});
    return outcome;
  }

  uint32_t blocks_per_sm(FunctionId function, uint32_t threads, uint64_t dynamic_shared_bytes) override {
    uint32_t blocks = 0;
    request(Message::kBlocksPerSm, Writer().put(function, threads, dynamic_shared_bytes), &blocks);
    return blocks;
  }

  KernelLimits kernel_limits(FunctionId function) override {
    KernelLimits limits;
    request(Message::kKernelLimits, Writer().put(function), &limits);
    return limits;
  }

  Outcome set_max_dynamic_shared(FunctionId function, uint64_t bytes) override {
    return request(Message::kSetMaxDynamicShared, Writer().put(function, bytes));
  }

  Outcome launch(const LaunchRequest& r) override {
    const std::string_view params(reinterpret_cast<const char*>(r.params.data()), r.params.size());
    const uint64_t stack_bytes = std::min(r.stack_bytes, kMostStack);
    Outcome outcome =
        request(Message::kLaunch,
                Writer().put(r.function, r.grid, r.block, r.dynamic_shared_bytes, r.cooperative, stack_bytes, params),
                &host_uses_);
    unread_ |= !outcome.ok();
    return outcome;
  }

  Outcome synchronise() override {
    tell(Message::kSynchronise, {});
    return fault_;
  }

  Outcome fault() const override { return fault_; }

  void read_error() override {
    if (std::exchange(unread_, false)) tell(Message::kReadError, {});
  }

  bool call_fails(std::string_view function) override {
    bool fails = false;
    if (plans_failure_) request(Message::kCallFails, Writer().put(function), &fails);
    return fails;
  }

  void tell_place(CallKind call, uint64_t address, std::string_view place) override {
    const Writer body = Writer().put(call, address, place.substr(0, kMostPlace));
    if (call < CallKind::kFailedCall) return tell(Message::kPlace, body);
    if (!gone_ && !connection_.send(Message::kPlace, body.body()))
      lost();  // at once: the program may crash because of it
  }

  void start_profiling() override {
    if (plans_failure_) tell(Message::kStartProfiling, {});
  }

  bool watches_streams() const override { return watches_streams_; }
  void begin_work(const Task& work) override {
    if (watches_streams_)
      tell(Message::kWork,
           Writer().put(work.number, work.settled, work.call, work.graph, work.stream, work.what, work.beside));
  }
  void use(const Region& region, bool writes) override { request(Message::kUse, Writer().put(region, writes)); }
  std::vector<HostUse> take_host_uses() override { return std::exchange(host_uses_, {}); }
  void touched(const HostTouch& touch) override {
    request(Message::kTouched, Writer().put(touch.work, touch.address, touch.call, touch.writes));
  }

  std::string take_output() override { return std::exchange(output_, {}); }
  std::vector<Condition> take_conditions() override { return std::exchange(conditions_, {}); }
  std::vector<std::string> take_messages() override { return std::exchange(messages_, {}); }

  Outcome end_program(End end) override { return request(Message::kEnd, Writer().put(end == End::kReset)); }

 private:
  // A host that touches device memory crashes, as with a card. Each allocation that both sides may touch is opened
  // alone.
  void take_addresses(int shared_file) {
    const auto reserve = [](uint64_t begin, uint64_t end) {
      return mmap(reinterpret_cast<void*>(begin), end - begin, PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
                  0) == reinterpret_cast<void*>(begin);
    };
    const bool taken =
        reserve(space_.begin - space_.around, space_.end + space_.around) || reserve(space_.begin, space_.end);
    void* shared = taken ? mmap(reinterpret_cast<void*>(space_.shared), space_.end - space_.shared, PROT_NONE,
                                MAP_SHARED | MAP_FIXED, shared_file, static_cast<off_t>(kTransferBytes))
                         : MAP_FAILED;
    void* window = shared == MAP_FAILED
                       ? MAP_FAILED
                       : mmap(nullptr, kTransferBytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared_file, 0);
    if (window == MAP_FAILED)
      throw std::runtime_error(
          with_next(words("the program's process has no room for the device's addresses"),
                    words("lift the limit (ulimit -v unlimited), or emulate a card with less (LOCKSTEP_MEMORY=1G)")));
    window_ = static_cast<char*>(window);
  }

  // Sends a request and waits for the reply. `values`: what the reply holds after the outcome, set if that is ok.
  template <typename... T>
  Outcome request(Message kind, const Writer& body, T*... values) const {
    if (gone_ || pid_ != getpid() || !connection_.send(kind, body.body())) return lost();
    const std::optional<Received> received = reply();
    if (!received) return lost();
    Reader in(received->body);
    Outcome outcome = take_outcome(in);
    fault_ = take_outcome(in);
    output_ += in.take<std::string_view>();
    std::ranges::move(in.take<std::vector<std::string>>(), std::back_inserter(messages_));
    std::ranges::move(in.take<std::vector<Condition>>(), std::back_inserter(conditions_));
    if (outcome.ok()) std::tie(*values...) = in.all<T...>();
    return outcome;
  }

  // Receives the reply. Before it the device may ask questions, which are answered here.
  std::optional<Received> reply() const {
    while (std::optional<Received> received = connection_.receive()) {
      if (received->kind == Message::kReply) return received;
      Writer answer;
      const auto value = Reader(received->body).take<uint64_t>();
      const Host& host = Host::local();
      if (received->kind == Message::kAskHolds) answer.put(host.holds(value));
      if (received->kind == Message::kAskThreads) answer.put(host.has_other_threads());
      if (received->kind == Message::kAskLine) {
        const Site site = host.call_line(value);
        answer.put(site.file.substr(0, kMostPlace), site.line);
      }
      if (!connection_.send(Message::kAnswer, answer.body())) break;
    }
    return std::nullopt;
  }

  // A message that needs no answer waits for the next request that needs one.
  void tell(Message kind, const Writer& body) const {
    if (gone_ || pid_ != getpid() || !connection_.queue(kind, body.body())) lost();
  }

  Outcome lost() const {
    gone_ = true;
    return fault_ = {Status::kDeviceGone, gone_text()};
  }

  // An allocation of the host, or a variable of a module that it asked for.
  struct Known {
    uint64_t bytes;
    ModuleId module = 0;  // 0: an allocation
  };
  void open(uint64_t address, const Known& known) {
    known_[address] = known;
    reach(address, known.bytes, PROT_READ | PROT_WRITE);
  }

  // Sets the host's rights to memory that it may touch in place. Device memory stays closed.
  void reach(uint64_t address, uint64_t bytes, int protection) const {
    if (address < space_.shared || address >= space_.end) return;
    mprotect(reinterpret_cast<void*>(address), align_up(bytes, static_cast<uint64_t>(sysconf(_SC_PAGESIZE))),
             protection);
  }

  // Cuts a region into pieces that fit the window: some rows, or a part of a row. Calls move(piece, row, column) for
  // each.
  template <typename Move>
  Outcome in_pieces(const Region& whole, Move&& move) const {
    const uint64_t width = std::min(whole.width, kTransferBytes);
    const uint64_t rows = width < whole.width ? 1 : kTransferBytes / std::max<uint64_t>(width, 1);
    for (uint64_t row = 0; row < whole.rows; row += rows)
      for (uint64_t column = 0; column < whole.width; column += width) {
        const Region piece{whole.address + row * whole.pitch + column, whole.pitch,
                           std::min(width, whole.width - column), std::min(rows, whole.rows - row)};
        if (Outcome outcome = move(piece, row, column); !outcome.ok()) return outcome;
      }
    return {};
  }

  // Mutable: each reply brings news of the device, also the reply to a question.
  mutable Connection connection_;
  const pid_t pid_ = getpid();
  mutable bool gone_ = false;
  mutable Outcome fault_;
  mutable std::string output_;
  mutable std::vector<std::string> messages_;
  mutable std::vector<Condition> conditions_;
  DeviceLimits limits_;
  AddressSpace space_;
  char* window_ = nullptr;
  bool plans_failure_ = false, watches_streams_ = false;
  std::vector<HostUse> host_uses_;   // of the last launch
  bool unread_ = false;              // a launch failed, and the program has not read the error yet
  std::map<uint64_t, Known> known_;  // by address
};

}  // namespace

void set_call_lines(Site (*lines)(uint64_t call)) { Host::set_call_lines(lines); }

std::unique_ptr<Device> connect_device(const std::string& socket) {
  int fd = -1;
  const char* const end = socket.data() + socket.size();
  if (!socket.starts_with("fd:") || std::from_chars(socket.data() + 3, end, fd).ptr != end || fd < 0)
    throw std::runtime_error(
        words("LOCKSTEP_DEVICE={text}: expected fd:N, the number of a descriptor", {{"text", socket}}));
  return std::make_unique<RemoteDevice>(fd);
}

}  // namespace lockstep
