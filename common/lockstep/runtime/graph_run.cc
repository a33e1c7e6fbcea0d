#include "runtime/graph_run.h"

#include <algorithm>

#include "base/words.h"
#include "runtime/watch.h"

namespace lockstep::runtime {
namespace {

// Gives the lock back for a while: the program's own function may call the runtime, or wait for a thread that does.
class Unlocked {
 public:
  explicit Unlocked(std::mutex& held) : mutex_(held) { mutex_.unlock(); }
  ~Unlocked() { mutex_.lock(); }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  std::mutex& mutex_;
};

// One launch. While it lasts, the work of the device is told as a node's.
class GraphRun {
 public:
  explicit GraphRun(Runtime& runtime) : runtime_(runtime), before_(runtime.watch.node) {
    runtime_.watch.node.launch = ++runtime_.graphs.launches;
  }
  ~GraphRun() { runtime_.watch.node = before_; }
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;

  cudaError_t run(const Graph& graph, cudaStream_t stream);
  void assign_conditions(const Graph& graph);  // their defaults, also of the graphs of its nodes

 private:
  // The streams that a graph's branches are told as. A node goes on in the stream of one of the nodes that it needs, if
  // no other has done so.
  struct Branches {
    std::map<const GraphNode*, cudaStream_t> of;
    std::map<cudaStream_t, const GraphNode*> last;
    std::map<const GraphNode*, Clock> done;
    Clock begin;
  };
  cudaStream_t branch_for(const GraphNode& node, cudaStream_t stream, Branches& branches);
  cudaStream_t new_branch();
  void join(cudaStream_t stream, const Branches& branches);

  cudaError_t do_work(const GraphNode& node, cudaStream_t stream);
  cudaError_t host(const HostWork& work, cudaStream_t stream);
  cudaError_t record(const RecordWork& work, cudaStream_t stream);
  cudaError_t wait(const WaitWork& work, cudaStream_t stream);
  cudaError_t allocate(const AllocWork& work, cudaStream_t stream);
  cudaError_t conditional(const ConditionalWork& work, cudaStream_t stream);
  void take_conditions();
  uint32_t condition(cudaGraphConditionalHandle handle);  // its value now

  Runtime& runtime_;
  const AtWork before_;  // of the graph whose host node launches this one
};

cudaStream_t GraphRun::new_branch() {
  const Stream branch{cudaStreamNonBlocking, 0, runtime_.streams.next_id++};
  runtime_.watch.order.add_stream(static_cast<uint32_t>(branch.id), false);
  return reinterpret_cast<cudaStream_t>(runtime_.streams.all.create(branch));
}

cudaStream_t GraphRun::branch_for(const GraphNode& node, cudaStream_t stream, Branches& branches) {
  StreamOrder& order = runtime_.watch.order;
  cudaStream_t chosen = nullptr;
  bool found = node.needs.empty() && branches.last.empty();
  if (found) chosen = stream;
  for (const Edge& edge : node.needs) {
    const cudaStream_t its = branches.of.at(edge.from);
    if (found || branches.last.at(its) != edge.from) continue;
    chosen = its;
    found = true;
  }
  if (!found) {
    chosen = new_branch();
    order.stream_waits(stream_number(runtime_, chosen), branches.begin);
  }
  for (const Edge& edge : node.needs)
    if (branches.of.at(edge.from) != chosen)
      order.stream_waits(stream_number(runtime_, chosen), branches.done.at(edge.from));
  branches.of[&node] = chosen;
  branches.last[chosen] = &node;
  return chosen;
}

// The stream goes on when all branches have ended.
void GraphRun::join(cudaStream_t stream, const Branches& branches) {
  StreamOrder& order = runtime_.watch.order;
  const uint32_t number = stream_number(runtime_, stream);
  for (const auto& [branch, node] : branches.last) {
    if (branch == stream) continue;
    order.stream_waits(number, branches.done.at(node));
    order.end_stream(stream_number(runtime_, branch));
    runtime_.streams.all.destroy(branch);
  }
}

cudaError_t GraphRun::run(const Graph& graph, cudaStream_t stream) {
  const bool watched = watches(runtime_);
  Branches branches;
  if (watched) branches.begin = runtime_.watch.order.record(stream_number(runtime_, stream));
  cudaError_t error = cudaSuccess;
  for (const GraphNode* node : graph.order()) {
    const cudaStream_t branch = watched ? branch_for(*node, stream, branches) : stream;
    runtime_.watch.node.stack = &node->stack;
    if (node->enabled) error = do_work(*node, branch);
    if (watched) branches.done[node] = runtime_.watch.order.record(stream_number(runtime_, branch));
    if (error != cudaSuccess) break;
  }
  if (watched) join(stream, branches);
  return error;
}

cudaError_t GraphRun::do_work(const GraphNode& node, cudaStream_t stream) {
  struct Does {
    GraphRun& all;
    cudaStream_t stream;
    cudaError_t operator()(const KernelWork& w) { return runtime::run(all.runtime_, w, stream); }
    cudaError_t operator()(const CopyWork& w) { return runtime::run(all.runtime_, w, stream); }
    cudaError_t operator()(const FillWork& w) { return runtime::run(all.runtime_, w, stream); }
    cudaError_t operator()(const HostWork& w) { return all.host(w, stream); }
    cudaError_t operator()(const ChildWork& w) { return all.run(*w.graph, stream); }
    cudaError_t operator()(const EmptyWork&) { return cudaSuccess; }
    cudaError_t operator()(const WaitWork& w) { return all.wait(w, stream); }
    cudaError_t operator()(const RecordWork& w) { return all.record(w, stream); }
    cudaError_t operator()(const AllocWork& w) { return all.allocate(w, stream); }
    cudaError_t operator()(const FreeWork& w) { return free_on(all.runtime_, w.pointer, stream); }
    cudaError_t operator()(const ConditionalWork& w) { return all.conditional(w, stream); }
  };
  return std::visit(Does{*this, stream}, node.work);
}

// As cudaLaunchHostFunc: behind a kernel that failed it is never called.
cudaError_t GraphRun::host(const HostWork& work, cudaStream_t stream) {
  if (!runtime_.fault.ok()) return cudaSuccess;
  host_waits_for(runtime_, stream);  // it may use what the nodes before it have written
  const AtWork here = std::exchange(runtime_.watch.node, {});
  {
    const Unlocked unlocked(runtime_.mutex);
    work.function(work.data);
  }
  runtime_.watch.node = here;
  tell_touches(runtime_);
  return cudaSuccess;
}

cudaError_t GraphRun::record(const RecordWork& work, cudaStream_t stream) {
  Event* event = runtime_.events.all.find(work.event);
  if (!event) return cudaErrorInvalidResourceHandle;
  event->record(runtime_, stream);
  return cudaSuccess;
}

cudaError_t GraphRun::wait(const WaitWork& work, cudaStream_t stream) {
  const Event* event = runtime_.events.all.find(work.event);
  if (!event) return cudaErrorInvalidResourceHandle;
  runtime_.watch.order.stream_waits(stream_number(runtime_, stream), event->known);
  return cudaSuccess;
}

// As cudaMallocAsync: for other branches, the allocation writes the memory.
cudaError_t GraphRun::allocate(const AllocWork& work, cudaStream_t stream) {
  if (!runtime_.fault.ok()) return cudaSuccess;
  const auto [address, bytes] = std::pair(work.memory->address, work.memory->bytes);
  const cudaError_t error = runtime_.code(runtime_.device->allocate_reserved(address));
  if (error != cudaSuccess) return error;
  runtime_.memory.allocations[address] = {bytes, MemoryKind::kDevice, nullptr, false, work_stack(runtime_), true};
  Graphs& graphs = runtime_.graphs;
  graphs.held = std::max(graphs.held, graphs.used += bytes);
  graphs.held_high = std::max(graphs.held_high, graphs.held);
  const WorkScope scope(runtime_, stream, later("an allocation in the graph"));
  if (watches(runtime_)) runtime_.device->use({address, bytes, bytes}, true);
  return cudaSuccess;
}

// What kernels have set since the last call becomes the values of the conditions.
void GraphRun::take_conditions() {
  for (const Condition& set : runtime_.device->take_conditions())
    if (const auto found = runtime_.graphs.conditions.find(set.handle); found != runtime_.graphs.conditions.end())
      found->second.value = set.value;
}

void GraphRun::assign_conditions(const Graph& graph) {
  if (!graph.conditions.empty()) take_conditions();
  for (const cudaGraphConditionalHandle handle : graph.conditions)
    if (ConditionValue& condition = runtime_.graphs.conditions[handle]; condition.assigned_at_launch)
      condition.value = condition.at_launch;
  for (const auto& node : graph.nodes)
    for (const Graph* part : parts_of(node->work)) assign_conditions(*part);
}

uint32_t GraphRun::condition(cudaGraphConditionalHandle handle) {
  take_conditions();
  return runtime_.graphs.conditions[handle].value;
}

cudaError_t GraphRun::conditional(const ConditionalWork& work, cudaStream_t stream) {
  const auto value = [&] { return runtime_.fault.ok() ? condition(work.params.handle) : 0; };
  const auto body = [&](size_t i) {
    return i < work.bodies.size() && runtime_.fault.ok() ? run(*work.bodies[i], stream) : cudaSuccess;
  };
  switch (static_cast<int>(work.params.type)) {
    case cudaGraphCondTypeIf: return body(value() ? 0 : 1);
    case kConditionSwitch: return body(value());
    case cudaGraphCondTypeWhile:
      while (value())
        if (const cudaError_t error = body(0); error != cudaSuccess) return error;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}

// The memory that the last launch allocated and nothing has freed.
std::vector<uint64_t> unfreed(const Runtime& runtime, const Graph& graph) {
  std::vector<uint64_t> found;
  for (const auto& node : graph.nodes) {
    if (const auto* allocates = std::get_if<AllocWork>(&node->work))
      if (runtime.memory.allocations.contains(allocates->memory->address)) found.push_back(allocates->memory->address);
    if (const auto* child = std::get_if<ChildWork>(&node->work))
      std::ranges::copy(unfreed(runtime, *child->graph), std::back_inserter(found));
  }
  return found;
}

}  // namespace

GraphMemory::~GraphMemory() {
  Runtime& runtime = Runtime::instance();
  runtime.graphs.reserved.erase(address);
  runtime.device->unreserve(address);
}

cudaError_t run_graph(Runtime& runtime, GraphExec& exec, cudaStream_t stream) {
  if (!runtime.fault.ok()) return cudaSuccess;  // it waits behind a kernel that failed
  for (const uint64_t address : unfreed(runtime, *exec.graph)) {
    if (!(exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch)) return cudaErrorInvalidValue;
    if (const cudaError_t error = free_on(runtime, pointer_to(address), stream); error != cudaSuccess) return error;
  }
  if (watches(runtime)) runtime.watch.order.stream_waits(stream_number(runtime, stream), exec.last);
  GraphRun launch(runtime);
  launch.assign_conditions(*exec.graph);
  const cudaError_t error = launch.run(*exec.graph, stream);
  if (watches(runtime)) exec.last = runtime.watch.order.record(stream_number(runtime, stream));
  return error;
}

}  // namespace lockstep::runtime
