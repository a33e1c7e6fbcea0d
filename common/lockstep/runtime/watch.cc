#include "runtime/watch.h"

#include <atomic>

#include "runtime/call_place.h"
#include "runtime/host_pages.h"

namespace lockstep::runtime {
namespace {

// Each thread of the host has a default stream of its own. The numbers do not meet those of created streams.
uint32_t per_thread_stream() {
  static std::atomic<uint32_t> next{uint32_t{1} << 31};
  static thread_local const uint32_t number = next++;
  return number;
}

// Later work may have replaced the uses of the oldest.
constexpr size_t kMostKnown = 8192;

// The pages of work that has ended for the host are open to it.
void open_ended(Runtime& runtime) {
  const StreamOrder& order = runtime.watch.order;
  drop_pending([&](const PendingUse& use) {
    const bool ended = order.has_ended(use.stream, use.work);
    if (ended) runtime.watch.known.erase(use.work);
    return ended;
  });
}

}  // namespace

bool watches(const Runtime& runtime) { return runtime.device && runtime.device->watches_streams(); }

uint32_t stream_number(const Runtime& runtime, cudaStream_t stream) {
  if (stream == cudaStreamPerThread) return per_thread_stream();
  const Stream* const created = runtime.streams.all.find(stream);
  return created ? static_cast<uint32_t>(created->id) : kLegacyStream;
}

WorkScope::WorkScope(Runtime& runtime, cudaStream_t stream, const char* name)
    : runtime_(runtime), on_(watches(runtime)), stream_(on_ ? stream_number(runtime, stream) : 0) {
  if (!on_) return;
  open_pages();
  Task task;
  runtime.watch.order.issue(stream_, task);
  task.call = call_number(work_stack(runtime));
  task.graph = runtime.watch.node.launch;
  task.what = called(name);
  work_ = task.number;
  runtime.device->begin_work(task);
}

WorkScope::~WorkScope() {
  if (!on_) return;
  close_pages();
}

void WorkScope::add(const HostUse& use) {
  PendingUse pending{.work = work_, .stream = stream_, .use = use};
  const AddressInfo info = runtime_.device->find_address(use.begin);
  if (info.kind == AddressKind::kDevice) pending.whole = {info.base, info.base + info.bytes};
  add_pending(pending);
  auto& known = runtime_.watch.known;
  known.try_emplace(work_, runtime_.watch.order.record(stream_));
  if (known.size() > kMostKnown) known.erase(known.begin());
}

void WorkScope::uses(const Region& rows, bool writes) {
  if (!on_) return;
  const Target target = target_of(runtime_, pointer_to(rows.address));
  const bool reached = target.known ? target.kind != MemoryKind::kDevice : is_registered(runtime_, rows.address);
  if (!reached) return;
  for (uint64_t row = 0; row < rows.rows; ++row) {
    const uint64_t begin = rows.address + row * rows.pitch;
    add({begin, begin + rows.width, writes ? HostUse::kWrite : HostUse::kRead});
  }
}

void WorkScope::used(const std::vector<HostUse>& uses) {
  if (!on_) return;
  for (const HostUse& use : uses) add(use);
}

void WorkScope::host_waits() {
  if (!on_) return;
  runtime_.watch.order.host_waits(stream_);
  open_ended(runtime_);
}

void host_waits_for(Runtime& runtime, cudaStream_t stream) {
  if (!watches(runtime)) return;
  runtime.watch.order.host_waits(stream_number(runtime, stream));
  open_ended(runtime);
}

void host_waits_for(Runtime& runtime, const Clock& event) {
  if (!watches(runtime)) return;
  runtime.watch.order.host_learns(event);
  open_ended(runtime);
}

void host_waits_for_all(Runtime& runtime) {
  if (!watches(runtime)) return;
  runtime.watch.order.host_waits_for_all();
  open_ended(runtime);
}

void forget_memory(Runtime& runtime, uint64_t address, uint64_t bytes) {
  if (!watches(runtime)) return;
  drop_pending([&](const PendingUse& p) { return p.use.begin >= address && p.use.begin < address + bytes; });
}

void tell_touches(Runtime& runtime) {
  if (!any_touches() || !watches(runtime)) return;
  for (const PageTouch& touch : take_touches()) {
    if (touch.is_signal) {  // it may have read the flag that says so
      host_waits_for(runtime, runtime.watch.known[touch.work]);
      continue;
    }
    const CallStack stack(touch.stack.begin(), touch.stack.begin() + touch.depth);
    runtime.device->touched(
        {.work = touch.work, .address = touch.address, .call = call_number(stack), .writes = touch.writes});
  }
  runtime.tell_findings();
}

}  // namespace lockstep::runtime
