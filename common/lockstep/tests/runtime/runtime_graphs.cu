// runtime_graphs: calls about graphs and stream capture that should fail, or whose answer is not obvious. Prints each
// call's error. Argument: the group of calls to make. Each group leaves nothing behind.
// The expected output, runtime_graphs_h200.txt, was recorded on an NVIDIA H200 with the real runtime. Leaves out two
// calls that crash in the real driver: cudaThreadExchangeStreamCaptureMode(nullptr), and a graph as a node of itself.
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cuda_api.h"

namespace {

void show(const char* call, cudaError_t error) { std::printf("%s: %s\n", call, cudaGetErrorName(error)); }
#define SHOW(call) show(#call, call)

__global__ void write(int* to, int value) { *to = value; }
__global__ void nothing() {}

cudaStream_t s, other;  // they do not block; `blocking` does
cudaStream_t blocking;
cudaEvent_t event, second_event;
int* d;
int host[64];

// How the capture of `stream` ends. Nothing is captured afterwards.
void end(cudaStream_t stream = s) {
  cudaGraph_t graph = nullptr;
  show("  cudaStreamEndCapture", cudaStreamEndCapture(stream, &graph));
  std::printf("  a graph: %s\n", graph ? "yes" : "no");
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError();
}

void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal, cudaStream_t stream = s) {
  show("cudaStreamBeginCapture", cudaStreamBeginCapture(stream, mode));
}

const char* status_of(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream, &status);
  if (error != cudaSuccess) return cudaGetErrorName(error);
  const char* const names[] = {"none", "active", "invalidated"};
  return names[status];
}

// One call while `stream` is captured in this mode, and how the capture ends.
#define WHILE_CAPTURING(mode, stream, call)   \
  do {                                        \
    begin(mode, stream);                      \
    SHOW(call);                               \
    std::printf("  %s\n", status_of(stream)); \
    end(stream);                              \
  } while (false)

void begin_and_end() {
  SHOW(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  SHOW(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
  SHOW(cudaStreamBeginCapture(s, static_cast<cudaStreamCaptureMode>(3)));
  end();
  begin();
  SHOW(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  std::printf("  %s\n", status_of(s));
  end();
  begin(cudaStreamCaptureModeGlobal, cudaStreamPerThread);
  end(cudaStreamPerThread);
  begin();
  cudaError_t from_thread = cudaSuccess;
  std::thread([&] {
    cudaGraph_t graph = nullptr;
    from_thread = cudaStreamEndCapture(s, &graph);
  }).join();
  show("cudaStreamEndCapture in another thread", from_thread);
  end();
  begin(cudaStreamCaptureModeRelaxed);
  std::thread([&] {
    cudaGraph_t graph = nullptr;
    from_thread = cudaStreamEndCapture(s, &graph);
    if (graph) cudaGraphDestroy(graph);
  }).join();
  show("relaxed, in another thread", from_thread);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  SHOW(cudaThreadExchangeStreamCaptureMode(&mode));
  std::printf("before: %d\n", static_cast<int>(mode));
  SHOW(cudaThreadExchangeStreamCaptureMode(&mode));
  cudaStream_t gone;
  cudaStreamCreateWithFlags(&gone, cudaStreamNonBlocking);
  begin(cudaStreamCaptureModeGlobal, gone);
  SHOW(cudaStreamDestroy(gone));
  void* p = nullptr;
  SHOW(cudaMalloc(&p, 4));
  cudaFree(p);
  cudaGetLastError();
}

void joins() {
  std::puts("a branch that is not joined");
  begin();
  SHOW(cudaEventRecord(event, s));
  SHOW(cudaStreamWaitEvent(other, event, 0));
  nothing<<<1, 1, 0, other>>>();
  end();
  std::puts("a branch without work");
  begin();
  cudaEventRecord(event, s);
  cudaStreamWaitEvent(other, event, 0);
  std::printf("  %s\n", status_of(other));
  end();
  std::printf("  %s\n", status_of(other));
  std::puts("the end in the wrong stream");
  begin();
  cudaEventRecord(event, s);
  cudaStreamWaitEvent(other, event, 0);
  end(other);
  end();
  std::puts("two captures");
  begin();
  begin(cudaStreamCaptureModeGlobal, other);
  cudaEventRecord(event, s);
  SHOW(cudaStreamWaitEvent(other, event, 0));
  std::printf("  %s %s\n", status_of(s), status_of(other));
  end();
  end(other);
  std::puts("an event from outside");
  cudaEventRecord(event, other);
  begin();
  SHOW(cudaStreamWaitEvent(s, event, 0));
  end();
  std::puts("an event that was never recorded");
  begin();
  SHOW(cudaStreamWaitEvent(s, second_event, 0));
  end();
  std::puts("the legacy stream joins");
  begin();
  cudaEventRecord(event, s);
  SHOW(cudaStreamWaitEvent(nullptr, event, 0));
  end();
  std::puts("flags without capture");
  SHOW(cudaEventRecordWithFlags(event, s, cudaEventRecordExternal));
  SHOW(cudaStreamWaitEvent(s, event, cudaEventWaitExternal));
  SHOW(cudaStreamWaitEvent(s, second_event, cudaEventWaitExternal));
  cudaStreamSynchronize(s);
  cudaGetLastError();
}

void captured_events() {
  begin();
  cudaEventRecord(event, s);
  SHOW(cudaEventQuery(event));
  end();
  begin();
  cudaEventRecord(event, s);
  SHOW(cudaEventSynchronize(event));
  end();
  std::puts("after the end");
  SHOW(cudaEventQuery(event));
  SHOW(cudaEventSynchronize(event));
  SHOW(cudaStreamWaitEvent(other, event, 0));
  float time = 0;
  SHOW(cudaEventElapsedTime(&time, event, event));
  SHOW(cudaEventRecord(event, other));
  SHOW(cudaStreamWaitEvent(s, event, 0));
  SHOW(cudaStreamSynchronize(other));
  cudaGetLastError();
}

void waits() {
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    std::printf("mode %d\n", static_cast<int>(mode));
    WHILE_CAPTURING(mode, s, cudaStreamSynchronize(s));
    WHILE_CAPTURING(mode, s, cudaStreamQuery(s));
    WHILE_CAPTURING(mode, s, cudaStreamSynchronize(other));
    WHILE_CAPTURING(mode, s, cudaStreamQuery(other));
    WHILE_CAPTURING(mode, s, cudaEventQuery(second_event));
    WHILE_CAPTURING(mode, s, cudaEventSynchronize(second_event));
    WHILE_CAPTURING(mode, s, cudaDeviceSynchronize());
    WHILE_CAPTURING(mode, blocking, cudaDeviceSynchronize());
    WHILE_CAPTURING(mode, s, cudaStreamSynchronize(nullptr));
    WHILE_CAPTURING(mode, blocking, cudaStreamSynchronize(nullptr));
  }
}

void memory_calls() {
  void* p = nullptr;
  int* q = nullptr;
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    std::printf("mode %d\n", static_cast<int>(mode));
    WHILE_CAPTURING(mode, s, cudaMalloc(&p, 64));
    WHILE_CAPTURING(mode, s, cudaFree(nullptr));
    WHILE_CAPTURING(mode, s, cudaMallocHost(&p, 64));
    WHILE_CAPTURING(mode, s, cudaMallocManaged(&q, 64));
    WHILE_CAPTURING(mode, s, cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost));
    WHILE_CAPTURING(mode, blocking, cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost));
    WHILE_CAPTURING(mode, s, cudaMemset(d, 0, 4));
    WHILE_CAPTURING(mode, blocking, cudaMemset(d, 0, 4));
    size_t free_bytes = 0, total = 0;
    WHILE_CAPTURING(mode, s, cudaMemGetInfo(&free_bytes, &total));
  }
  cudaError_t from_thread = cudaSuccess;
  for (const auto mode :
       {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed}) {
    begin(mode);
    std::thread([&] { from_thread = cudaMalloc(&p, 64); }).join();
    show("cudaMalloc in another thread", from_thread);
    end();
  }
}

void other_calls() {
  const auto global = cudaStreamCaptureModeGlobal;
  WHILE_CAPTURING(global, s,
                  cudaStreamAddCallback(
                      s, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0));
  int* managed = nullptr;
  cudaMallocManaged(&managed, 4096);
  WHILE_CAPTURING(global, s, cudaStreamAttachMemAsync(s, managed, 0, cudaMemAttachGlobal));
  WHILE_CAPTURING(global, s, cudaMemPrefetchAsync(managed, 4096, {cudaMemLocationTypeDevice, 0}, 0, s));
  WHILE_CAPTURING(global, s, cudaMemcpyAsync(host, d, 4, cudaMemcpyDeviceToHost, s));
  WHILE_CAPTURING(global, s, cudaMemcpyAsync(nullptr, d, 4, cudaMemcpyDeviceToHost, s));
  WHILE_CAPTURING(global, s, cudaMemcpyAsync(host, d, 4, static_cast<cudaMemcpyKind>(9), s));
  WHILE_CAPTURING(global, s, cudaMemsetAsync(d, 0, 4, s));
  WHILE_CAPTURING(global, s, cudaMemsetAsync(nullptr, 0, 4, s));
  WHILE_CAPTURING(global, s, (nothing<<<1, 2000, 0, s>>>(), cudaGetLastError()));
  WHILE_CAPTURING(global, s, (nothing<<<0, 1, 0, s>>>(), cudaGetLastError()));
  WHILE_CAPTURING(global, blocking, (nothing<<<1, 1>>>(), cudaGetLastError()));
  WHILE_CAPTURING(global, s, (nothing<<<1, 1>>>(), cudaGetLastError()));
  WHILE_CAPTURING(global, blocking, cudaEventRecord(event, nullptr));
  cudaStreamCaptureStatus status;
  WHILE_CAPTURING(global, blocking, cudaStreamIsCapturing(nullptr, &status));
  WHILE_CAPTURING(global, s, cudaStreamIsCapturing(nullptr, &status));
  unsigned flags = 0;
  WHILE_CAPTURING(global, s, cudaStreamGetFlags(s, &flags));
  WHILE_CAPTURING(global, s, cudaLaunchHostFunc(s, nullptr, nullptr));
  std::puts("after the first mistake");
  begin();
  SHOW(cudaStreamSynchronize(s));
  SHOW((nothing<<<1, 1, 0, s>>>(), cudaGetLastError()));
  SHOW((nothing<<<1, 2000, 0, s>>>(), cudaGetLastError()));
  SHOW(cudaMemsetAsync(d, 0, 4, s));
  SHOW(cudaEventRecord(event, s));
  SHOW(cudaStreamSynchronize(s));
  end();
  SHOW(cudaStreamSynchronize(s));
  cudaDeviceSynchronize();
  cudaFree(managed);
  cudaGetLastError();
}

cudaGraph_t new_graph() {
  cudaGraph_t graph = nullptr;
  cudaGraphCreate(&graph, 0);
  return graph;
}

cudaGraphNode_t empty_node(cudaGraph_t graph) {
  cudaGraphNode_t node = nullptr;
  cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  return node;
}

void graphs() {
  cudaGraph_t graph = new_graph(), second = new_graph(), part = new_graph(), clone = nullptr;
  SHOW(cudaGraphCreate(&clone, 1));
  const cudaGraphNode_t a = empty_node(graph), b = empty_node(graph), foreign = empty_node(second);
  SHOW(cudaGraphAddDependencies(graph, &a, &b, nullptr, 1));
  SHOW(cudaGraphAddDependencies(graph, &a, &b, nullptr, 1));
  SHOW(cudaGraphAddDependencies(graph, &a, &a, nullptr, 1));
  SHOW(cudaGraphAddDependencies(graph, &a, &foreign, nullptr, 1));
  SHOW(cudaGraphRemoveDependencies(graph, &b, &a, nullptr, 1));
  cudaGraphExec_t exec = nullptr;
  SHOW(cudaGraphAddDependencies(graph, &b, &a, nullptr, 1));
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphInstantiateParams params{};
  SHOW(cudaGraphInstantiateWithParams(&exec, graph, &params));
  std::printf("  result %d\n", static_cast<int>(params.result_out));
  SHOW(cudaGraphInstantiate(&exec, second, 0x10));
  SHOW(cudaGraphInstantiate(&exec, second, cudaGraphInstantiateFlagUpload));
  SHOW(cudaGraphInstantiate(&exec, second, cudaGraphInstantiateFlagUseNodePriority));
  unsigned long long flags = 0;
  SHOW(cudaGraphExecGetFlags(exec, &flags));
  std::printf("  flags %llu\n", flags);
  cudaGraphExecDestroy(exec);
  cudaGraphNodeType type;
  cudaKernelNodeParams kernel{};
  SHOW(cudaGraphNodeGetType(a, &type));
  SHOW(cudaGraphKernelNodeGetParams(a, &kernel));
  cudaGraphNode_t node = nullptr, child = nullptr;
  SHOW(cudaGraphAddEmptyNode(&node, graph, &foreign, 1));
  SHOW(cudaGraphAddChildGraphNode(&child, second, nullptr, 0, part));
  cudaGraph_t inside = nullptr;
  SHOW(cudaGraphChildGraphNodeGetGraph(child, &inside));
  const cudaError_t destroyed = cudaGraphDestroy(inside);
  show("cudaGraphDestroy of a child", destroyed);
  if (destroyed != cudaSuccess) SHOW(cudaGraphInstantiate(&exec, inside, 0));
  SHOW(cudaGraphNodeFindInClone(&node, a, second));
  SHOW(cudaGraphDestroy(graph));
  SHOW(cudaGraphDestroy(second));
  cudaGraphDestroy(part);
  cudaGraph_t none = new_graph();
  SHOW(cudaGraphInstantiate(&exec, none, 0));
  SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaGraphLaunch(nullptr, s));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(none);
  cudaGetLastError();
}

void unsafe_calls() {
  cudaGraph_t graph = new_graph();
  empty_node(graph);
  cudaGraphExec_t exec = nullptr, second = nullptr;
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  unsigned long long id = 0;
  const auto global = cudaStreamCaptureModeGlobal;
  WHILE_CAPTURING(global, s, cudaStreamGetId(s, &id));
  WHILE_CAPTURING(global, s, cudaGraphInstantiate(&second, graph, 0));
  WHILE_CAPTURING(global, s, cudaGraphExecDestroy(exec));
  SHOW(cudaGraphExecDestroy(exec));
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

void free_of_other_memory() {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  begin();
  SHOW(cudaFreeAsync(d, s));
  SHOW(cudaStreamEndCapture(s, &graph));
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

void nodes() {
  cudaGraph_t graph = new_graph();
  cudaGraphNode_t node = nullptr;
  int value = 1;
  void* arguments[] = {&d, &value};
  cudaKernelNodeParams kernel{(void*)write, dim3(1), dim3(2000), 0, arguments, nullptr};
  SHOW(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  kernel.blockDim = dim3(0);
  SHOW(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  kernel.blockDim = dim3(1);
  kernel.sharedMemBytes = 1 << 20;
  SHOW(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  kernel.sharedMemBytes = 0;
  kernel.kernelParams = nullptr;
  SHOW(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  kernel.kernelParams = arguments;
  kernel.func = (void*)&host;
  SHOW(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel));
  SHOW(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr));
  SHOW(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, nullptr, d, 4, cudaMemcpyDeviceToHost));
  SHOW(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, d, 0, cudaMemcpyDeviceToHost));
  SHOW(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, d, 1 << 20, cudaMemcpyDeviceToHost));
  SHOW(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, host, d, 4, cudaMemcpyHostToDevice));
  SHOW(cudaGraphAddMemcpyNodeToSymbol(&node, graph, nullptr, 0, host, d, 4, 0, cudaMemcpyDeviceToDevice));
  cudaMemsetParams fill{d, 0, 0x100, 1, 4, 1};
  SHOW(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  fill = {d, 0, 0, 3, 4, 1};
  SHOW(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  fill = {d, 0, 0, 1, 1 << 20, 1};
  SHOW(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  fill = {host, 0, 0, 1, 4, 1};
  SHOW(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  fill = {d, 0, 0, 1, 0, 1};
  SHOW(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  cudaHostNodeParams call{};
  SHOW(cudaGraphAddHostNode(&node, graph, nullptr, 0, &call));
  SHOW(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, nullptr));
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

void instantiated() {
  cudaGraph_t graph = new_graph();
  cudaGraphNode_t kernel_node = nullptr, call_node = nullptr;
  int value = 1;
  void* arguments[] = {&d, &value};
  cudaKernelNodeParams kernel{(void*)write, dim3(1), dim3(1), 0, arguments, nullptr};
  cudaGraphAddKernelNode(&kernel_node, graph, nullptr, 0, &kernel);
  cudaHostNodeParams call{[](void*) {}, nullptr};
  cudaGraphAddHostNode(&call_node, graph, &kernel_node, 1, &call);
  cudaGraphExec_t exec = nullptr;
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  SHOW(cudaGraphNodeSetEnabled(exec, call_node, 0));
  SHOW(cudaGraphExecHostNodeSetParams(exec, kernel_node, &call));
  kernel.blockDim = dim3(2000);
  SHOW(cudaGraphExecKernelNodeSetParams(exec, kernel_node, &kernel));
  kernel = {(void*)nothing, dim3(2), dim3(2), 0, nullptr, nullptr};
  SHOW(cudaGraphExecKernelNodeSetParams(exec, kernel_node, &kernel));
  SHOW(cudaGraphLaunch(exec, s));
  const cudaGraphNode_t later = empty_node(graph);
  SHOW(cudaGraphNodeSetEnabled(exec, later, 0));
  cudaGraphExecUpdateResultInfo info{};
  SHOW(cudaGraphExecUpdate(exec, graph, &info));
  std::printf("  result %d\n", static_cast<int>(info.result));
  SHOW(cudaStreamSynchronize(s));
  SHOW(cudaGraphExecDestroy(exec));
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

void memory_nodes() {
  cudaGraph_t graph = new_graph(), clone = nullptr, outer = new_graph();
  cudaGraphNode_t node = nullptr, free_node = nullptr, child = nullptr;
  cudaMemAllocNodeParams params{};
  SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
  params.bytesize = 256;
  SHOW(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
  SHOW(cudaMemset(params.dptr, 0, 4));
  cudaPointerAttributes attributes{};
  SHOW(cudaPointerGetAttributes(&attributes, params.dptr));
  std::printf("  type %d\n", static_cast<int>(attributes.type));
  SHOW(cudaFree(params.dptr));
  SHOW(cudaGraphClone(&clone, graph));
  SHOW(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  cudaGraphExec_t exec = nullptr, second = nullptr;
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  SHOW(cudaGraphInstantiate(&second, graph, 0));
  SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaStreamSynchronize(s));
  SHOW(cudaFree(params.dptr));
  SHOW(cudaFree(params.dptr));
  SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaGraphAddMemFreeNode(&free_node, outer, nullptr, 0, params.dptr));
  SHOW(cudaGraphAddMemFreeNode(&free_node, outer, nullptr, 0, params.dptr));
  SHOW(cudaGraphAddMemFreeNode(&free_node, outer, nullptr, 0, nullptr));
  SHOW(cudaGraphAddMemFreeNode(&free_node, outer, nullptr, 0, host));
  SHOW(cudaStreamSynchronize(s));
  SHOW(cudaGraphExecDestroy(exec));
  SHOW(cudaFree(params.dptr));
  uint64_t bytes = 1;
  SHOW(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &bytes));
  SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &bytes));
  SHOW(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
  cudaGraphDestroy(graph);
  cudaGraphDestroy(outer);
  SHOW(cudaDeviceGraphMemTrim(0));
  cudaGetLastError();
}

void conditions() {
  cudaGraph_t graph = new_graph(), clone = nullptr;
  cudaGraphConditionalHandle handle;
  SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
  SHOW(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphExec_t exec = nullptr, second = nullptr;
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 2;
  cudaGraphNode_t node = nullptr;
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params.conditional.type = cudaGraphCondTypeIf;
  params.conditional.size = 3;
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  params.conditional.size = 1;
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  SHOW(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params));
  SHOW(cudaGraphClone(&clone, graph));
  SHOW(cudaGraphInstantiate(&exec, graph, 0));
  SHOW(cudaGraphInstantiate(&second, graph, 0));
  SHOW(cudaGraphLaunch(exec, s));
  SHOW(cudaStreamSynchronize(s));
  SHOW(cudaGraphExecDestroy(exec));
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

void objects() {
  cudaUserObject_t object = nullptr;
  int destroyed = 0;
  const cudaHostFn_t destroy = [](void* count) { ++*static_cast<int*>(count); };
  SHOW(cudaUserObjectCreate(&object, &destroyed, destroy, 1, 0));
  SHOW(cudaUserObjectCreate(&object, &destroyed, destroy, 0, cudaUserObjectNoDestructorSync));
  SHOW(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync));
  cudaGraph_t graph = new_graph();
  SHOW(cudaGraphRetainUserObject(graph, object, 0, 0));
  SHOW(cudaGraphRetainUserObject(graph, object, 1, 2));
  SHOW(cudaGraphRetainUserObject(graph, object, 2, 0));
  SHOW(cudaGraphReleaseUserObject(graph, object, 1));
  SHOW(cudaUserObjectRelease(object, 1));
  std::printf("  destroyed %d\n", destroyed);
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

}  // namespace

int main(int, char** arguments) {
  const std::string group = arguments[1];
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaStreamCreate(&blocking);
  cudaEventCreate(&event);
  cudaEventCreate(&second_event);
  cudaMalloc(&d, 4096);
  nothing<<<1, 1>>>();
  cudaDeviceSynchronize();
  if (group == "begin_and_end") begin_and_end();
  if (group == "joins") joins();
  if (group == "captured_events") captured_events();
  if (group == "waits") waits();
  if (group == "memory_calls") memory_calls();
  if (group == "other_calls") other_calls();
  if (group == "graphs") graphs();
  if (group == "unsafe_calls") unsafe_calls();
  if (group == "free_of_other_memory") free_of_other_memory();
  if (group == "nodes") nodes();
  if (group == "instantiated") instantiated();
  if (group == "memory_nodes") memory_nodes();
  if (group == "conditions") conditions();
  if (group == "objects") objects();
}
