#include "device/device_server.h"

#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/words.h"
#include "device/in_place.h"
#include "device/other_input.h"
#include "device/vault.h"

namespace lockstep {
namespace {

constexpr uint32_t kMostFiles = 1 << 16;  // PTX texts of a module
constexpr size_t kMostName = 256;         // bytes in the name of a runtime function

// Does something at the end of a block, also if an exception leaves it.
template <typename Function>
struct Finally {
  Function function;
  ~Finally() { function(); }
};

// Each handler reads its whole message before it does anything.
class DeviceServer {
 public:
  DeviceServer(const DeviceOptions& options, Connection& connection, const RemoteHost& host, EmulatedDevice& device,
               const SharedFile& shared)
      : options_(options), connection_(connection), host_(host), device_(device), shared_(shared) {
    if (options.shared.vault >= 0) vault_.emplace(options.shared.vault);
  }

  Ending serve() {
    try {
      while (!ended_) {
        const std::optional<Received> received = connection_.receive();
        if (!received) return {Ending::kGone};
        Reader in(received->body);
        if (received->kind == Message::kHello || !greeted_)
          greet(received->kind == Message::kHello ? in : throw WireError("no greeting"));
        else
          serve(received->kind, in);
        if (host_.ending()) return *host_.ending();
        before_ = received->kind;
      }
    } catch (const WireError& error) { return {Ending::kViolation, error.what()}; }
    return {Ending::kOrderly, "", written_};
  }

 private:
  void greet(Reader& in) {
    if (greeted_) throw WireError("a second greeting");
    if (in.take<uint64_t>() != kWireVersion) throw WireError("a greeting of another version");
    in.all<>();
    greeted_ = true;
    Writer out;
    out.put(Status::kOk, "", device_.limits(), device_.address_space(), options_.failure.number != 0,
            device_.watches_streams());
    connection_.send(Message::kReply, out.body(), shared_.fd());
  }

  // The bytes that a request brought to the host are known to the judge before the host can have used them.
  void serve(Message kind, Reader& in) {
    if (vault_) vault_->begin_request();
    const Finally at_the_end{[this] { end_request(); }};
    handle(kind, in);
  }

  void end_request() {
    if (vault_) vault_->end_request({device_.crossing().to_host + told_, device_.crossing().from_host});
  }

  void handle(Message kind, Reader& in) {
    if (take_told(kind, in)) return;
    Writer out;
    Outcome outcome;
    try {
      if (!work_is_known_ && is_work(kind)) throw std::bad_alloc();
      outcome = answer(kind, in, out);
    } catch (const std::bad_alloc&) {
      outcome = {Status::kOutOfMemory,
                 with_next(words("the device's process has no memory left to emulate with"),
                           words("lift its memory limit (ulimit -v unlimited), or launch smaller blocks."))};
    }
    reply(outcome, out);
  }

  // Messages without a reply. One for which there is no memory is lost. False: this is another message.
  bool take_told(Message kind, Reader& in) {
    try {
      switch (kind) {
        case Message::kSynchronise: return in.all<>(), device_.synchronise(), true;
        case Message::kReadError: return in.all<>(), device_.read_error(), true;
        case Message::kStartProfiling: return in.all<>(), device_.start_profiling(), true;
        case Message::kPlace: return place(in), true;
        case Message::kWork: return begin_work(in), true;
        default: return false;
      }
    } catch (const std::bad_alloc&) { return true; }
  }

  // What a kWork announces. If that message was lost, this is refused: the races would be blamed on other work.
  static bool is_work(Message kind) {
    return kind == Message::kCopyIn || kind == Message::kCopyOut || kind == Message::kCopyWithin ||
           kind == Message::kFill || kind == Message::kLaunch || kind == Message::kUse;
  }

  // A reply holds the outcome, the fault, output and messages; then, if the outcome is ok, the values asked for.
  void reply(const Outcome& outcome, const Writer& out) {
    const Outcome fault = device_.fault();
    Writer whole;
    whole.put(outcome.status, outcome.message, fault.status, fault.message, device_.take_output(),
              device_.take_messages(), device_.take_conditions());
    end_request();
    connection_.send(Message::kReply, outcome.ok() ? whole.body() + out.body() : whole.body());
  }

  Outcome answer(Message kind, Reader& in, Writer& out) {
    switch (kind) {
      case Message::kAllocate: return allocate(in, out);
      case Message::kFree: return pass_on(in, &Device::free);
      case Message::kReserve: return reserve(in, out);
      case Message::kAllocateReserved: return pass_on(in, &Device::allocate_reserved);
      case Message::kUnreserve: return pass_on(in, &Device::unreserve);
      case Message::kCopyIn: return copy_in(in);
      case Message::kCopyOut: return copy_out(in);
      case Message::kCopyWithin: return copy_within(in);
      case Message::kFill: return fill(in);
      case Message::kCreateTexture: return create_texture(in, out);
      case Message::kDestroyTexture: return pass_on(in, &Device::destroy_texture);
      case Message::kPlaceInput: return place_input(in);
      case Message::kHandOver: return hand_over(in);
      case Message::kFindAddress: return find_address(in, out);
      case Message::kMemoryInfo: return memory_info(in, out);
      case Message::kPtx: return take_ptx(in);
      case Message::kLoadModule: return load_module(in, out);
      case Message::kUnloadModule: return pass_on(in, &Device::unload_module);
      case Message::kFindFunction: return find_function(in, out);
      case Message::kFindGlobal: return find_global(in, out);
      case Message::kBlocksPerSm: return blocks_per_sm(in, out);
      case Message::kKernelLimits: return kernel_limits(in, out);
      case Message::kSetMaxDynamicShared: return pass_on(in, &Device::set_max_dynamic_shared);
      case Message::kLaunch: return launch(in, out);
      case Message::kCallFails: return call_fails(in, out);
      case Message::kUse: return use(in);
      case Message::kTouched: return touched(in);
      case Message::kEnd: return end(in);
      default: throw WireError("a message of kind " + std::to_string(static_cast<uint32_t>(kind)));
    }
  }

  // For a request whose message holds exactly its arguments, which the device itself checks.
  template <typename... T>
  Outcome pass_on(Reader& in, Outcome (Device::*request)(T...)) {
    return std::apply([&](T... values) { return (device_.*request)(values...); }, in.all<T...>());
  }

  Region take_region(Reader& in) const {
    const auto region = in.take<Region>();
    // Rows at one and the same address could be written without end.
    if (region.rows > 1 && region.pitch < region.width) throw WireError("rows that overlap");
    if (region.rows == 0 || region.width == 0) throw WireError("a copy of nothing");
    return region;
  }

  Region take_transfer(Reader& in) const {
    const Region region = take_region(in);
    uint64_t bytes = 0;
    if (__builtin_mul_overflow(region.width, region.rows, &bytes) || bytes > kTransferBytes)
      throw WireError("a copy that is larger than the window");
    return region;
  }

  Outcome allocate(Reader& in, Writer& out) {
    const auto [bytes, kind, offset] = in.all<uint64_t, MemoryKind, uint64_t>();
    if (kind > MemoryKind::kManaged) throw WireError("memory of no kind");
    uint64_t address = 0;
    const Outcome outcome = device_.allocate(bytes, &address, kind, offset);
    out.put(address);
    return outcome;
  }

  Outcome reserve(Reader& in, Writer& out) {
    uint64_t address = 0;
    const Outcome outcome = device_.reserve(std::get<uint64_t>(in.all<uint64_t>()), &address);
    out.put(address);
    return outcome;
  }

  Outcome copy_in(Reader& in) {
    const Region to = take_transfer(in);
    in.all<>();
    if (!other_input()) return device_.copy_in(to, shared_.window(), to.width);
    // The program sees the window, and may not see the other input.
    const auto* const window = reinterpret_cast<const std::byte*>(shared_.window());
    std::vector<std::byte> data(window, window + to.width * to.rows);
    other_input()->replace(data);
    return device_.copy_in(to, data.data(), to.width);
  }

  // The other input that kernels see, in a job that has one; else null.
  OtherInput* other_input() {
    if (!vault_ || vault_->pair().given.empty()) return nullptr;
    if (!other_ || other_of_ != vault_->job()) {
      other_.emplace(vault_->pair().given, vault_->pair().other);
      other_of_ = vault_->job();
    }
    return &*other_;
  }

  Outcome copy_out(Reader& in) {
    const Region from = take_transfer(in);
    const CopyPart part = std::get<bool>(in.all<bool>()) ? CopyPart::kLater : CopyPart::kFirst;
    if (part == CopyPart::kLater && before_ != Message::kCopyOut) throw WireError("a copy goes on that has not begun");
    return device_.copy_out(shared_.window(), from.width, from, part);
  }

  Outcome copy_within(Reader& in) {
    const Region to = take_region(in);
    const auto [from, pitch] = in.all<uint64_t, uint64_t>();
    Outcome outcome = device_.copy_within(to, from, pitch);
    if (!outcome.ok() || !other_input()) return outcome;
    std::vector<std::byte> data(to.width);
    for (uint64_t row = 0; row < to.rows; ++row) {  // from pinned memory, say; in the host's own memory place() fails
      const Region there{to.address + row * to.pitch, to.width, to.width};
      if (!device_.take(data.data(), there).ok()) break;
      other_input()->replace(data);
      device_.place(there, data.data());
    }
    return outcome;
  }

  Outcome fill(Reader& in) {
    const Region to = take_region(in);
    return device_.fill(to, std::get<uint8_t>(in.all<uint8_t>()));
  }

  Outcome create_texture(Reader& in, Writer& out) {
    const auto [texture] = in.all<Texture>();
    if (!is_sound(texture)) throw WireError("a texture of no kind");
    uint64_t handle = 0;
    const Outcome outcome = device_.create_texture(texture, &handle);
    out.put(handle);
    return outcome;
  }

  Outcome place_input(Reader& in) {
    const auto [to, bytes] = in.all<uint64_t, uint64_t>();
    const std::byte* const input = vault_ ? vault_->input(bytes) : nullptr;
    return input ? device_.place({to, bytes, bytes}, input) : Outcome{Status::kInvalidValue, ""};
  }

  Outcome hand_over(Reader& in) {
    const auto [input, output] = in.all<uint64_t, uint64_t>();
    const Vault::Result result = vault_ ? vault_->result() : Vault::Result{};
    if (!result.out) return {Status::kInvalidValue, ""};
    Outcome outcome = device_.take(result.out, {output, result.out_bytes, result.out_bytes});
    if (outcome.ok() && result.in) outcome = device_.take(result.in, {input, result.in_bytes, result.in_bytes});
    if (outcome.ok()) vault_->handed_over();
    return outcome;
  }

  // Kernels can say something by how much they allocate, and where.
  Outcome find_address(Reader& in, Writer& out) {
    const AddressInfo info = device_.find_address(std::get<uint64_t>(in.all<uint64_t>()));
    if (info.kind != AddressKind::kUnknown) told_ += sizeof info.base + sizeof info.bytes;
    out.put(info.kind, info.base, info.bytes);
    return {};
  }

  Outcome memory_info(Reader& in, Writer& out) {
    in.all<>();
    uint64_t free_bytes = 0, total_bytes = 0;
    device_.memory_info(&free_bytes, &total_bytes);
    told_ += sizeof free_bytes;
    out.put(free_bytes, total_bytes);
    return {};
  }

  Outcome take_ptx(Reader& in) {
    const auto [bytes] = in.all<uint64_t>();
    if (bytes > kTransferBytes || ptx_.size() + bytes > kMostPtx) throw WireError("too much PTX");
    ptx_.append(shared_.window(), bytes);
    return {};
  }

  Outcome load_module(Reader& in, Writer& out) {
    const auto files = in.take<uint32_t>();
    if (files > kMostFiles) throw WireError("a module of " + std::to_string(files) + " files");
    const std::string ptx = std::exchange(ptx_, {});
    std::string_view rest = ptx;
    std::vector<std::string_view> texts;
    for (uint32_t i = 0; i < files; ++i) {
      const auto bytes = in.take<uint64_t>();
      if (bytes > rest.size()) throw WireError("less PTX than a module has");
      texts.push_back(rest.substr(0, bytes));
      rest.remove_prefix(bytes);
    }
    in.all<>();
    if (!rest.empty()) throw WireError("more PTX than a module has");
    ModuleId module = 0;
    const Outcome outcome = device_.load_module(texts, &module);
    out.put(module);
    return outcome;
  }

  Outcome find_function(Reader& in, Writer& out) {
    const auto [module, name] = in.all<ModuleId, std::string_view>();
    FunctionInfo info;
    const Outcome outcome = device_.find_function(module, name, &info);
    out.put(info.id, info.name, info.params, info.param_bytes, info.static_shared_bytes, info.local_bytes,
            info.registers, info.max_threads_per_block, info.ptx_version);
    return outcome;
  }

  Outcome find_global(Reader& in, Writer& out) {
    const auto [module, name] = in.all<ModuleId, std::string_view>();
    GlobalInfo info;
    const Outcome outcome = device_.find_global(module, name, &info);
    out.put(info);
    return outcome;
  }

  Outcome blocks_per_sm(Reader& in, Writer& out) {
    const auto [function, threads, shared] = in.all<FunctionId, uint32_t, uint64_t>();
    out.put(device_.blocks_per_sm(function, threads, shared));
    return {};
  }

  Outcome kernel_limits(Reader& in, Writer& out) {
    const auto [function] = in.all<FunctionId>();
    out.put(device_.kernel_limits(function));
    return {};
  }

  Outcome launch(Reader& in, Writer& out) {
    LaunchRequest r;
    std::string_view params;
    std::tie(r.function, r.grid, r.block, r.dynamic_shared_bytes, r.cooperative, r.stack_bytes, params) =
        in.all<FunctionId, Dim3, Dim3, uint64_t, bool, uint64_t, std::string_view>();
    if (r.stack_bytes > kMostStack) throw WireError("a stack of " + std::to_string(r.stack_bytes) + " bytes");
    r.params = std::as_bytes(std::span(params));
    std::optional<InPlace> in_place;
    if (other_input()) in_place.emplace(device_, *other_input());
    const Outcome outcome = device_.launch(r);
    out.put(device_.take_host_uses());
    return outcome;
  }

  void begin_work(Reader& in) {
    work_is_known_ = false;
    Task work;
    std::tie(work.number, work.settled, work.call, work.graph, work.stream, work.what, work.beside) =
        in.all<uint64_t, uint64_t, uint64_t, uint64_t, uint32_t, std::string, std::vector<Task::Beside>>();
    if (work.what.size() > kMostName)
      throw WireError("work with a name of " + std::to_string(work.what.size()) + " bytes");
    device_.begin_work(work);
    work_is_known_ = true;
  }

  Outcome use(Reader& in) {
    const Region region = take_region(in);
    device_.use(region, std::get<bool>(in.all<bool>()));
    return {};
  }

  Outcome touched(Reader& in) {
    HostTouch touch;
    std::tie(touch.work, touch.address, touch.call, touch.writes) = in.all<uint64_t, uint64_t, uint64_t, bool>();
    device_.touched(touch);
    return {};
  }

  void place(Reader& in) {
    const auto [call, address, text] = in.all<CallKind, uint64_t, std::string_view>();
    if (call > CallKind::kLast || text.size() > kMostPlace) throw WireError("a place of no call");
    device_.tell_place(call, address, text);
  }

  Outcome call_fails(Reader& in, Writer& out) {
    const auto [name] = in.all<std::string_view>();
    if (name.size() > kMostName) throw WireError("a function's name of " + std::to_string(name.size()) + " bytes");
    out.put(device_.call_fails(name));
    return {};
  }

  Outcome end(Reader& in) {
    const auto [resets] = in.all<bool>();
    ended_ = !resets;
    return written_ = device_.end_program(resets ? Device::End::kReset : Device::End::kOrderly);
  }

  const DeviceOptions& options_;
  Connection& connection_;
  const RemoteHost& host_;
  EmulatedDevice& device_;
  const SharedFile& shared_;
  std::optional<Vault> vault_;
  std::optional<OtherInput> other_;  // of the job other_of_
  uint64_t other_of_ = 0;
  uint64_t told_ = 0;  // bytes of answers to questions about memory
  bool greeted_ = false, ended_ = false;
  bool work_is_known_ = true;
  Outcome written_;                   // whether the report was written
  Message before_ = Message::kHello;  // the request before this one
  std::string ptx_;                   // of the module that is being sent
};

}  // namespace

void refuse_device(Connection& connection, const std::string& reason) {
  if (connection.receive()) connection.send(Message::kReply, Writer().put(Status::kDeviceGone, reason).body());
}

Ending serve(const DeviceOptions& options, Connection& connection, const RemoteHost& host, EmulatedDevice& device,
             const SharedFile& shared) {
  return DeviceServer(options, connection, host, device, shared).serve();
}

}  // namespace lockstep
