#include "device/device_server.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <vector>

namespace lockstep {
namespace {

constexpr uint32_t kMostFiles = 1 << 16;  // PTX texts of a module
constexpr size_t kMostName = 256;         // of a function of the runtime
constexpr const char* kShared = "shared memory for a device in a process of its own cannot be had: ";

void put(Writer& out, const Outcome& outcome) { out.put(outcome.status).text(outcome.message); }

}  // namespace

std::string Ending::text() const {
  return kind == kOrderly ? "orderly" : kind == kGone ? "gone" : "protocol violation: " + reason;
}

bool RemoteHost::ask(Message question, uint64_t value) const {
  const std::lock_guard lock(mutex_);
  if (ending_) return false;
  try {
    if (connection_.send(question, Writer().put(value).body())) {
      if (const std::optional<Frame> frame = connection_.receive()) {
        if (frame->kind != Message::kAnswer) throw WireError("a request while a launch runs");
        Reader in(frame->body);
        const bool answer = in.flag();
        in.expect_end();
        return answer;
      }
    }
    ending_ = Ending{Ending::kGone, ""};
  } catch (const WireError& error) { ending_ = Ending{Ending::kViolation, error.what()}; }
  return false;
}

// Nobody may change the file's size: a process that reads a mapping of a file that shrank is killed.
SharedFile::SharedFile(uint64_t shared_bytes) : fd_(memfd_create("lockstep", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  const bool made = fd_ >= 0 && ftruncate(fd_, static_cast<off_t>(kTransferBytes + shared_bytes)) == 0 &&
                    fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
  void* window = made ? mmap(nullptr, kTransferBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0) : MAP_FAILED;
  if (window == MAP_FAILED) throw std::runtime_error(kShared + std::string(std::strerror(errno)));
  window_ = static_cast<char*>(window);
}

SharedFile::~SharedFile() {
  munmap(window_, kTransferBytes);
  close(fd_);
}

Ending DeviceServer::serve() {
  try {
    while (!ended_) {
      const std::optional<Frame> frame = connection_.receive();
      if (!frame) return {Ending::kGone, ""};
      Reader in(frame->body);
      if (frame->kind == Message::kHello || !greeted_)
        greet(frame->kind == Message::kHello ? in : throw WireError("no greeting"));
      else
        handle(frame->kind, in);
      if (host_.ending()) return *host_.ending();
      before_ = frame->kind;
    }
  } catch (const WireError& error) { return {Ending::kViolation, error.what()}; }
  return {Ending::kOrderly, ""};
}

void DeviceServer::greet(Reader& in) {
  if (greeted_) throw WireError("a second greeting");
  if (in.take<uint64_t>() != kWireVersion) throw WireError("a greeting of another version");
  in.expect_end();
  greeted_ = true;
  Writer out;
  put(out, {});
  out.put(device_.limits()).put(device_.address_space()).put(static_cast<uint8_t>(options_.failure.number != 0));
  connection_.send(Message::kReply, out.body(), shared_.fd());
}

void refuse_device(Connection& connection, const std::string& reason) {
  Writer out;
  put(out, {Status::kDeviceGone, reason});
  if (connection.receive()) connection.send(Message::kReply, out.body());
}

void DeviceServer::handle(Message kind, Reader& in) {
  if (kind == Message::kSynchronise) return in.expect_end(), void(device_.synchronise());
  if (kind == Message::kReadError) return in.expect_end(), device_.read_error();
  if (kind == Message::kStartProfiling) return in.expect_end(), device_.start_profiling();
  Writer out;
  Outcome outcome;
  try {
    outcome = answer(kind, in, out);
  } catch (const std::bad_alloc&) {
    outcome = {
        Status::kOutOfMemory,
        "the device's process has no memory left to emulate with; lift its memory limit, or launch smaller blocks"};
  }
  reply(outcome, out);
}

// A reply holds the outcome, the fault, output and messages; then, if the outcome is ok, the values that were asked for.
void DeviceServer::reply(const Outcome& outcome, const Writer& out) {
  Writer whole;
  put(whole, outcome);
  put(whole, device_.fault());
  whole.text(device_.take_output());
  const std::vector<std::string> messages = device_.take_messages();
  whole.put(static_cast<uint32_t>(messages.size()));
  for (const std::string& message : messages) whole.text(message);
  connection_.send(Message::kReply, outcome.ok() ? whole.body() + out.body() : whole.body());
}

// Each handler reads its whole message before it does anything.
Outcome DeviceServer::answer(Message kind, Reader& in, Writer& out) {
  switch (kind) {
    case Message::kAllocate: return allocate(in, out);
    case Message::kFree: return free(in);
    case Message::kCopyIn: return copy_in(in);
    case Message::kCopyOut: return copy_out(in);
    case Message::kCopyWithin: return copy_within(in);
    case Message::kFill: return fill(in);
    case Message::kFindAddress: return find_address(in, out);
    case Message::kMemoryInfo: return memory_info(in, out);
    case Message::kPtx: return take_ptx(in);
    case Message::kLoadModule: return load_module(in, out);
    case Message::kUnloadModule: return unload_module(in);
    case Message::kFindFunction: return find_function(in, out);
    case Message::kFindGlobal: return find_global(in, out);
    case Message::kBlocksPerSm: return blocks_per_sm(in, out);
    case Message::kSetMaxDynamicShared: return set_max_dynamic_shared(in);
    case Message::kLaunch: return launch(in);
    case Message::kCallFails: return call_fails(in, out);
    case Message::kEnd: return end(in);
    default: throw WireError("a message of kind " + std::to_string(static_cast<uint32_t>(kind)));
  }
}

Region DeviceServer::take_region(Reader& in) const {
  Region region;
  for (uint64_t* part : {&region.address, &region.pitch, &region.width, &region.rows}) *part = in.take<uint64_t>();
  // Rows at one and the same address could be written without end.
  if (region.rows > 1 && region.pitch < region.width) throw WireError("rows that overlap");
  if (region.rows == 0 || region.width == 0) throw WireError("a copy of nothing");
  return region;
}

Region DeviceServer::take_transfer(Reader& in) const {
  const Region region = take_region(in);
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(region.width, region.rows, &bytes) || bytes > kTransferBytes)
    throw WireError("a copy that is larger than the window");
  return region;
}

Outcome DeviceServer::allocate(Reader& in, Writer& out) {
  const auto bytes = in.take<uint64_t>();
  const auto kind = in.take<MemoryKind>();
  in.expect_end();
  if (kind > MemoryKind::kManaged) throw WireError("memory of no kind");
  uint64_t address = 0;
  const Outcome outcome = device_.allocate(bytes, &address, kind);
  out.put(address);
  return outcome;
}

Outcome DeviceServer::free(Reader& in) {
  const auto address = in.take<uint64_t>();
  const bool pinned = in.flag();
  in.expect_end();
  return device_.free(address, pinned);
}

Outcome DeviceServer::copy_in(Reader& in) {
  const Region to = take_transfer(in);
  in.expect_end();
  return device_.copy_in(to, shared_.window(), to.width);
}

Outcome DeviceServer::copy_out(Reader& in) {
  const Region from = take_transfer(in);
  const CopyPart part = in.flag() ? CopyPart::kLater : CopyPart::kFirst;
  in.expect_end();
  if (part == CopyPart::kLater && before_ != Message::kCopyOut) throw WireError("a copy goes on that has not begun");
  return device_.copy_out(shared_.window(), from.width, from, part);
}

Outcome DeviceServer::copy_within(Reader& in) {
  const Region to = take_region(in);
  const auto from = in.take<uint64_t>(), pitch = in.take<uint64_t>();
  in.expect_end();
  return device_.copy_within(to, from, pitch);
}

Outcome DeviceServer::fill(Reader& in) {
  const Region to = take_region(in);
  const auto value = in.take<uint8_t>();
  in.expect_end();
  return device_.fill(to, value);
}

Outcome DeviceServer::find_address(Reader& in, Writer& out) {
  const auto address = in.take<uint64_t>();
  in.expect_end();
  const AddressInfo info = device_.find_address(address);
  out.put(info.kind).put(info.base).put(info.bytes);
  return {};
}

Outcome DeviceServer::memory_info(Reader& in, Writer& out) {
  in.expect_end();
  uint64_t free_bytes = 0, total_bytes = 0;
  device_.memory_info(&free_bytes, &total_bytes);
  out.put(free_bytes).put(total_bytes);
  return {};
}

Outcome DeviceServer::take_ptx(Reader& in) {
  const auto bytes = in.take<uint64_t>();
  in.expect_end();
  if (bytes > kTransferBytes || ptx_.size() + bytes > kMostPtx) throw WireError("too much PTX");
  ptx_.append(shared_.window(), bytes);
  return {};
}

Outcome DeviceServer::load_module(Reader& in, Writer& out) {
  const auto files = in.take<uint32_t>();
  if (files > kMostFiles) throw WireError("a module of " + std::to_string(files) + " files");
  const std::string ptx = std::move(ptx_);
  ptx_.clear();
  std::string_view rest = ptx;
  std::vector<std::string_view> texts;
  for (uint32_t i = 0; i < files; ++i) {
    const auto bytes = in.take<uint64_t>();
    if (bytes > rest.size()) throw WireError("less PTX than a module has");
    texts.push_back(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  }
  in.expect_end();
  if (!rest.empty()) throw WireError("more PTX than a module has");
  ModuleId module = 0;
  const Outcome outcome = device_.load_module(texts, &module);
  out.put(module);
  return outcome;
}

Outcome DeviceServer::unload_module(Reader& in) {
  const auto module = in.take<ModuleId>();
  in.expect_end();
  return device_.unload_module(module);
}

Outcome DeviceServer::find_function(Reader& in, Writer& out) {
  const auto module = in.take<ModuleId>();
  const std::string_view name = in.text();
  in.expect_end();
  FunctionInfo info;
  const Outcome outcome = device_.find_function(module, name, &info);
  out.put(info.id).text(info.name).put(info.param_bytes).put(info.static_shared_bytes).put(info.local_bytes);
  out.put(info.registers).put(info.max_threads_per_block).put(info.ptx_version);
  out.put(static_cast<uint32_t>(info.params.size()));
  for (const ParamInfo& param : info.params) out.put(param);
  return outcome;
}

Outcome DeviceServer::find_global(Reader& in, Writer& out) {
  const auto module = in.take<ModuleId>();
  const std::string_view name = in.text();
  in.expect_end();
  GlobalInfo info;
  const Outcome outcome = device_.find_global(module, name, &info);
  out.put(info.address).put(info.bytes).put(static_cast<uint8_t>(info.managed));
  return outcome;
}

Outcome DeviceServer::blocks_per_sm(Reader& in, Writer& out) {
  const auto function = in.take<FunctionId>();
  const auto threads = in.take<uint32_t>();
  const auto shared = in.take<uint64_t>();
  in.expect_end();
  out.put(device_.blocks_per_sm(function, threads, shared));
  return {};
}

Outcome DeviceServer::set_max_dynamic_shared(Reader& in) {
  const auto function = in.take<FunctionId>();
  const auto bytes = in.take<uint64_t>();
  in.expect_end();
  return device_.set_max_dynamic_shared(function, bytes);
}

Outcome DeviceServer::launch(Reader& in) {
  LaunchRequest request;
  request.function = in.take<FunctionId>();
  request.grid = in.take<Dim3>();
  request.block = in.take<Dim3>();
  request.dynamic_shared_bytes = in.take<uint64_t>();
  request.cooperative = in.flag();
  request.stack_bytes = in.take<uint64_t>();
  const std::string_view params = in.text();
  in.expect_end();
  if (request.stack_bytes > kMostStack) throw WireError("a stack of " + std::to_string(request.stack_bytes) + " bytes");
  request.params = std::as_bytes(std::span(params));
  return device_.launch(request);
}

Outcome DeviceServer::call_fails(Reader& in, Writer& out) {
  const std::string_view name = in.text();
  in.expect_end();
  if (name.size() > kMostName) throw WireError("a function's name of " + std::to_string(name.size()) + " bytes");
  out.put(static_cast<uint8_t>(device_.call_fails(name)));
  return {};
}

Outcome DeviceServer::end(Reader& in) {
  const bool resets = in.flag();
  in.expect_end();
  ended_ = !resets;
  return written_ = device_.end_program(resets ? Device::End::kReset : Device::End::kOrderly);
}

}  // namespace lockstep
