// runtime_errors: the runtime's answers to right and wrong calls, one line each: `what: cudaErrorName`.
// The expected output, runtime_errors_h200.txt, was recorded on an NVIDIA H200 with the real runtime (CUDA 13.0,
// driver 580): the same program prints the same lines on lockstep. Argument: the group of calls to make.
// Leaves out the calls that crash in the real runtime (with invented handles).
#include <cooperative_groups.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

__device__ int g_numbers[4] = {1, 2, 3, 4};
__constant__ int c_numbers[4];

__global__ void touch(int* p) {
  if (p) p[threadIdx.x] = 1;
}
__global__ void needs_shared(int* p) {
  extern __shared__ int s_values[];
  s_values[threadIdx.x] = 1;
  if (p) p[threadIdx.x] = s_values[threadIdx.x];
}
__global__ void whole_grid(int* p) {
  cooperative_groups::this_grid().sync();
  if (p) p[threadIdx.x] = 1;
}
__global__ __launch_bounds__(128) void at_most_128(int* p) {
  if (p) p[threadIdx.x] = 1;
}
__global__ void fails_assert() { assert(blockDim.x == 0); }
__global__ void traps() { __trap(); }
__global__ void misaligned(char* p) { *reinterpret_cast<int*>(p + 1) = 1; }
void not_a_kernel() {}

void say(const char* what, cudaError_t error) { std::printf("%s: %s\n", what, cudaGetErrorName(error)); }
#define SAY(call) say(#call, call)

void ask_for_errors() {
  SAY(cudaGetLastError());
  SAY(cudaSetDevice(99));
  SAY(cudaPeekAtLastError());
  SAY(cudaPeekAtLastError());
  int device = -1;
  SAY(cudaGetDevice(&device));  // a call that works does not change the last error
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaSetDevice(-1));
  SAY(cudaGetLastError());
  SAY(cudaGetDevice(nullptr));
  SAY(cudaGetLastError());
  SAY(cudaGetDeviceCount(nullptr));
  cudaDeviceProp properties;
  SAY(cudaGetDeviceProperties(&properties, 99));
  SAY(cudaGetDeviceProperties(nullptr, 0));
  int value = 0;
  SAY(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 99));
  SAY(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0));
  SAY(cudaDeviceGetAttribute(nullptr, cudaDevAttrMaxThreadsPerBlock, 0));
  SAY(cudaGetLastError());
  size_t limit = 0;
  SAY(cudaDeviceGetLimit(&limit, static_cast<cudaLimit>(99)));
  SAY(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1));
  SAY(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
  SAY(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
  std::printf("name of 12345: %s, text: %s\n", cudaGetErrorName(static_cast<cudaError_t>(12345)),
              cudaGetErrorString(static_cast<cudaError_t>(12345)));
}

void allocate_and_copy() {
  char* d = nullptr;
  char* d2 = nullptr;
  char* pinned = nullptr;
  char* managed = nullptr;
  std::vector<char> host(4096, 1);
  char* h = host.data();
  SAY(cudaMalloc(nullptr, 4));
  SAY(cudaMalloc(&d, 0));
  std::printf("malloc(0) gives %s\n", d ? "an address" : "null");
  SAY(cudaMalloc(&d, size_t{1} << 50));
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaMalloc(&d, 4096));
  SAY(cudaMalloc(&d2, 4096));
  SAY(cudaMallocHost(&pinned, 4096));
  SAY(cudaMallocManaged(&managed, 4096));
  char* other = d;
  SAY(cudaMallocManaged(&other, 4096, 77));
  std::printf("which leaves the pointer %s\n", other == d ? "alone" : other ? "changed" : "null");
  other = d;
  SAY(cudaMalloc(&other, size_t{1} << 50));
  std::printf("which leaves the pointer %s\n", other == d ? "alone" : other ? "changed" : "null");
  other = d;
  SAY(cudaHostAlloc(&other, 64, 0xff00));
  std::printf("which leaves the pointer %s\n", other == d ? "alone" : other ? "changed" : "null");
  SAY(cudaMallocManaged(&other, 0));
  SAY(cudaMallocHost(&other, 0));
  SAY(cudaMemset(d, 1, 4096));
  SAY(cudaMemset(d, 1, 4097));
  SAY(cudaMemset(h, 1, 64));
  SAY(cudaMemset(nullptr, 1, 64));
  SAY(cudaMemset(nullptr, 1, 0));
  SAY(cudaMemset(pinned, 1, 64));
  SAY(cudaMemset(managed, 1, 64));
  SAY(cudaMemset(d + 4000, 1, 97));
  SAY(cudaGetLastError());
  SAY(cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(d + 4000, h, 97, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(h, d + 4000, 97, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(h, h + 64, 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(h, h + 64, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(h, h + 64, 64, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(d, d2, 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(d, d2, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(d, d2, 64, cudaMemcpyHostToHost));
  SAY(cudaMemcpy(d, h, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(d, h, 64, cudaMemcpyHostToHost));
  SAY(cudaMemcpy(d, h, 64, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(h, d, 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(h, d, 64, cudaMemcpyHostToHost));
  SAY(cudaMemcpy(h, d, 64, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(h, d, 64, static_cast<cudaMemcpyKind>(77)));
  SAY(cudaMemcpy(h, d, 64, cudaMemcpyDefault));
  SAY(cudaMemcpy(d, h, 64, cudaMemcpyDefault));
  SAY(cudaMemcpy(d, d2, 64, cudaMemcpyDefault));
  SAY(cudaMemcpy(h, h + 64, 64, cudaMemcpyDefault));
  SAY(cudaMemcpy(nullptr, h, 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(d, nullptr, 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(nullptr, d, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(h, nullptr, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(pinned, d, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(pinned, d, 64, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(d, pinned, 64, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(managed, d, 64, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpy(managed, d, 64, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpy(managed, h, 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy(h, managed, 64, cudaMemcpyHostToHost));
  SAY(cudaMemcpyAsync(d, h, 64, cudaMemcpyDeviceToHost, 0));
  SAY(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, cudaStreamPerThread));
  SAY(cudaMemcpyAsync(d, h, 64, cudaMemcpyHostToDevice, cudaStreamLegacy));
  SAY(cudaMemcpyPeer(d, 0, d2, 0, 64));
  SAY(cudaMemcpyPeer(d, 0, d2, 99, 64));
  SAY(cudaGetLastError());
  SAY(cudaMemcpy2D(d, 64, h, 64, 64, 64, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(d, 32, h, 64, 64, 8, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(d, 64, h, 32, 64, 8, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(d, 64, h, 64, 64, 65, cudaMemcpyHostToDevice));
  SAY(cudaMemcpy2D(d, 64, h, 64, 0, 65, cudaMemcpyHostToDevice));
  SAY(cudaMemset2D(d, 64, 0, 64, 64));
  SAY(cudaMemset2D(d, 32, 0, 64, 4));
  SAY(cudaMemset2D(d, 64, 0, 64, 65));
  SAY(cudaGetLastError());
  char* p = nullptr;
  size_t pitch = 0;
  SAY(cudaMallocPitch(&p, &pitch, 100, 10));
  std::printf("pitch %zu\n", pitch);
  SAY(cudaFree(p));
  SAY(cudaFree(d + 4));
  SAY(cudaFree(h));
  SAY(cudaFree(nullptr));
  SAY(cudaFree(pinned));
  SAY(cudaFreeHost(d));
  SAY(cudaFreeHost(h));
  SAY(cudaFreeHost(nullptr));
  SAY(cudaFree(d));
  SAY(cudaFree(d));
  SAY(cudaMemset(d, 0, 4));
  SAY(cudaMemcpy(h, d, 4, cudaMemcpyDeviceToHost));
  SAY(cudaHostGetDevicePointer(&p, pinned + 4, 0));
  std::printf("pinned at the same address: %d\n", p == pinned + 4);
  SAY(cudaHostGetDevicePointer(&p, pinned, 7));
  unsigned pinned_flags = 77;
  SAY(cudaHostGetFlags(&pinned_flags, pinned));
  std::printf("flags of pinned memory: %u\n", pinned_flags);
  SAY(cudaFreeHost(pinned + 4));
  SAY(cudaFreeHost(pinned));
  SAY(cudaFreeHost(pinned));
  SAY(cudaFree(managed));
  SAY(cudaFree(d2));
  SAY(cudaGetLastError());
  SAY(cudaMallocAsync(&d, 256, 0));
  SAY(cudaFreeAsync(d, 0));
  SAY(cudaFreeAsync(nullptr, 0));
  SAY(cudaMallocAsync(&d, 256, 0));
  SAY(cudaFree(d));
  SAY(cudaMalloc(&d, 256));
  SAY(cudaFreeAsync(d, 0));
  SAY(cudaGetLastError());
  SAY(cudaHostRegister(h, 4096, 0));
  SAY(cudaHostRegister(h, 4096, 0));
  unsigned flags = 77;
  SAY(cudaHostGetFlags(&flags, h));
  std::printf("flags of registered memory: %u\n", flags);
  SAY(cudaHostUnregister(h));
  SAY(cudaHostUnregister(h));
  SAY(cudaHostGetDevicePointer(&p, h, 0));
  SAY(cudaHostGetFlags(&flags, h));
  SAY(cudaMemGetInfo(nullptr, &pitch));
}

const char* kind_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) return "an error";
  static char text[100];
  std::snprintf(text, sizeof text, "type %d device %d, %s device pointer, %s host pointer", attributes.type,
                attributes.device,
                attributes.devicePointer == pointer ? "same"
                : attributes.devicePointer          ? "another"
                                                    : "no",
                attributes.hostPointer == pointer ? "same"
                : attributes.hostPointer          ? "another"
                                                  : "no");
  return text;
}

void tell_pointers() {
  int local = 0;
  char *d = nullptr, *pinned = nullptr, *managed = nullptr;
  void* symbol = nullptr;
  SAY(cudaMalloc(&d, 4096));
  SAY(cudaMallocHost(&pinned, 4096));
  SAY(cudaMallocManaged(&managed, 4096));
  SAY(cudaGetSymbolAddress(&symbol, g_numbers));
  std::printf("stack: %s\n", kind_of(&local));
  std::printf("null: %s\n", kind_of(nullptr));
  std::printf("device: %s\n", kind_of(d));
  std::printf("inside device: %s\n", kind_of(d + 7));
  std::printf("pinned: %s\n", kind_of(pinned + 7));
  std::printf("managed: %s\n", kind_of(managed));
  std::printf("symbol: %s\n", kind_of(symbol));
  SAY(cudaFree(d));
  std::printf("freed: %s\n", kind_of(d));
  SAY(cudaPointerGetAttributes(nullptr, d));
}

void use_symbols() {
  int values[4] = {};
  SAY(cudaMemcpyFromSymbol(values, g_numbers, sizeof values));
  std::printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
  SAY(cudaMemcpyToSymbol(c_numbers, values, sizeof values));
  SAY(cudaMemcpyToSymbol(g_numbers, values, 4, 12));
  SAY(cudaMemcpyFromSymbol(values, g_numbers, sizeof values));
  std::printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
  SAY(cudaMemcpyToSymbol(g_numbers, values, 20));
  SAY(cudaMemcpyToSymbol(g_numbers, values, 16, 4));
  SAY(cudaMemcpyToSymbol(g_numbers, values, 16, 0, cudaMemcpyDeviceToHost));
  SAY(cudaMemcpyToSymbol(g_numbers, values, 16, 0, cudaMemcpyDefault));
  SAY(cudaMemcpyFromSymbol(values, g_numbers, 16, 0, cudaMemcpyHostToDevice));
  SAY(cudaMemcpyFromSymbol(values, g_numbers, 16, 0, cudaMemcpyDeviceToDevice));
  SAY(cudaMemcpyToSymbol(static_cast<const void*>(values), values, 4));
  SAY(cudaMemcpyFromSymbol(values, static_cast<const void*>(nullptr), 4));
  SAY(cudaMemcpyToSymbol(g_numbers, nullptr, 4));
  SAY(cudaGetLastError());
  void* address = nullptr;
  size_t bytes = 0;
  SAY(cudaGetSymbolAddress(&address, static_cast<const void*>(values)));
  SAY(cudaGetSymbolSize(&bytes, static_cast<const void*>(values)));
  SAY(cudaGetSymbolSize(&bytes, c_numbers));
  std::printf("c_numbers has %zu bytes\n", bytes);
  SAY(cudaGetSymbolAddress(&address, c_numbers));
  SAY(cudaMemcpy(values, address, 16, cudaMemcpyDeviceToHost));
  std::printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
}

void say_launch(const char* what, cudaError_t now, cudaError_t later) {
  std::printf("%s: %s, then %s\n", what, cudaGetErrorName(now), cudaGetErrorName(later));
}
#define LAUNCH(kernel, ...)                                                     \
  do {                                                                          \
    kernel<<<__VA_ARGS__>>>(nullptr);                                           \
    const cudaError_t now = cudaGetLastError();                                 \
    say_launch(#kernel "<<<" #__VA_ARGS__ ">>>", now, cudaDeviceSynchronize()); \
    cudaGetLastError();                                                         \
  } while (0)

void launch() {
  LAUNCH(touch, 1, 1);
  LAUNCH(touch, 1, 1024);
  LAUNCH(touch, 1, 1025);
  LAUNCH(touch, 1, 0);
  LAUNCH(touch, 0, 1);
  LAUNCH(touch, dim3(1, 1, 0), 1);
  LAUNCH(touch, dim3(1, 65536, 1), 1);
  LAUNCH(touch, dim3(1, 1, 65536), 1);
  LAUNCH(touch, 1, dim3(1, 1, 65));
  LAUNCH(touch, 1, dim3(1, 1, 64));
  LAUNCH(touch, 1, dim3(32, 32, 2));
  LAUNCH(touch, 1, 0xffffffff);
  LAUNCH(at_most_128, 1, 128);
  LAUNCH(at_most_128, 1, 129);
  LAUNCH(needs_shared, 1, 32, 48 << 10);
  LAUNCH(needs_shared, 1, 32, (48 << 10) + 1);
  LAUNCH(needs_shared, 1, 32, 100 << 10);
  LAUNCH(needs_shared, 1, 32, 300 << 10);
  SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10));
  LAUNCH(needs_shared, 1, 32, 100 << 10);
  LAUNCH(needs_shared, 1, 32, (100 << 10) + 1);
  SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
  LAUNCH(needs_shared, 1, 32, 227 << 10);
  SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10));
  SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, -1));
  SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 50));
  SAY(cudaFuncSetAttribute(needs_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  SAY(cudaFuncSetAttribute(needs_shared, static_cast<cudaFuncAttribute>(77), 1));
  SAY(cudaFuncSetCacheConfig(needs_shared, cudaFuncCachePreferShared));
  SAY(cudaGetLastError());
  int* null = nullptr;
  void* arguments[] = {&null};
  SAY(cudaLaunchKernel(reinterpret_cast<const void*>(not_a_kernel), 1, 1, arguments, 0, 0));
  SAY(cudaLaunchKernel(static_cast<const void*>(nullptr), 1, 1, arguments, 0, 0));
  SAY(cudaLaunchKernel(reinterpret_cast<const void*>(touch), 1, 1, arguments, 0, 0));
  SAY(cudaLaunchKernel(reinterpret_cast<const void*>(touch), 1, 1025, arguments, 0, 0));
  SAY(cudaLaunchKernel(reinterpret_cast<const void*>(touch), 0, 1, arguments, 0, 0));
  SAY(cudaLaunchKernel(reinterpret_cast<const void*>(needs_shared), 1, 1, arguments, 300 << 10, 0));
  SAY(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(whole_grid), 0, 32, arguments, 0, 0));
  SAY(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(whole_grid), 4, 32, arguments, 0, 0));
  SAY(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(whole_grid), 1 << 20, 1024, arguments, 0, 0));
  SAY(cudaDeviceSynchronize());
  SAY(cudaGetLastError());
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 0;
  cudaLaunchConfig_t config{};
  config.gridDim = 4;
  config.blockDim = 32;
  config.attrs = attributes;
  config.numAttrs = 2;
  SAY(cudaLaunchKernelEx(&config, whole_grid, null));
  SAY(cudaDeviceSynchronize());
  config.blockDim = 1025;
  SAY(cudaLaunchKernelEx(&config, whole_grid, null));
  SAY(cudaGetLastError());
  cudaFuncAttributes function{};
  SAY(cudaFuncGetAttributes(&function, touch));
  SAY(cudaFuncGetAttributes(&function, reinterpret_cast<const void*>(not_a_kernel)));
  SAY(cudaFuncGetAttributes(&function, static_cast<const void*>(nullptr)));
  SAY(cudaFuncGetAttributes(nullptr, reinterpret_cast<const void*>(touch)));
  SAY(cudaGetLastError());
  SAY(cudaFuncGetAttributes(&function, at_most_128));
  std::printf("at most %d threads\n", function.maxThreadsPerBlock);
  SAY(cudaFuncGetAttributes(&function, needs_shared));
  std::printf("static shared %zu, dynamic shared %d, carveout %d\n", function.sharedSizeBytes,
              function.maxDynamicSharedSizeBytes, function.preferredShmemCarveout);
  const char* name = nullptr;
  // CUDA 12.4 has no form of it that takes a kernel.
  say("cudaFuncGetName(&name, touch)", cudaFuncGetName(&name, reinterpret_cast<const void*>(touch)));
  std::printf("%s\n", name && std::strstr(name, "touch") ? "touch is in the name" : "no name");
}

void ask_for_occupancy() {
  int blocks = -1, grid = -1, block = -1;
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 256, 0));
  std::printf("256 threads: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 1024, 0));
  std::printf("1024 threads: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 32, 0));
  std::printf("32 threads: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 33, 0));
  std::printf("33 threads: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, needs_shared, 256, 48 << 10));
  std::printf("48 KiB of shared memory: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, needs_shared, 256, 100 << 10));
  std::printf("100 KiB of shared memory: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 0, 0));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, -1, 0));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, touch, 2048, 0));
  std::printf("2048 threads: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, at_most_128, 256, 0));
  std::printf("256 threads of at most 128: %d blocks\n", blocks);
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reinterpret_cast<const void*>(not_a_kernel), 256, 0));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, touch, 256, 0));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, touch, 256, 0,
                                                             cudaOccupancyDisableCachingOverride));
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, touch, 256, 0, 77));
  SAY(cudaGetLastError());
  SAY(cudaOccupancyMaxPotentialBlockSize(&grid, &block, touch, 0, 0));
  std::printf("best grid %d, block %d\n", grid, block);
  size_t bytes = 0;
  SAY(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, needs_shared, 2, 256));
  std::printf("shared memory for two blocks: %zu\n", bytes);
}

void count_call(void* calls) { ++*static_cast<int*>(calls); }
void count_callback(cudaStream_t, cudaError_t, void* calls) { count_call(calls); }

void streams_and_events() {
  cudaStream_t stream = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr, untimed = nullptr;
  float milliseconds = -1;
  SAY(cudaStreamCreate(&stream));
  SAY(cudaStreamCreate(nullptr));
  SAY(cudaStreamCreateWithFlags(&stream, 77));
  SAY(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  unsigned flags = 77;
  SAY(cudaStreamGetFlags(stream, &flags));
  std::printf("flags %u\n", flags);
  int least = 77, greatest = 77, priority = 77;
  SAY(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  std::printf("priorities %d to %d\n", least, greatest);
  SAY(cudaStreamDestroy(stream));
  SAY(cudaStreamCreateWithPriority(&stream, cudaStreamDefault, -100));
  SAY(cudaStreamGetPriority(stream, &priority));
  std::printf("priority %d\n", priority);
  SAY(cudaStreamQuery(stream));
  SAY(cudaStreamQuery(0));
  SAY(cudaStreamSynchronize(0));
  SAY(cudaStreamSynchronize(cudaStreamPerThread));
  SAY(cudaEventCreate(&start));
  SAY(cudaEventCreate(nullptr));
  SAY(cudaEventCreateWithFlags(&stop, 77));
  SAY(cudaEventCreate(&stop));
  SAY(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  SAY(cudaEventQuery(start));
  SAY(cudaEventSynchronize(start));
  SAY(cudaEventElapsedTime(&milliseconds, start, stop));
  SAY(cudaStreamWaitEvent(stream, start, 0));
  SAY(cudaEventRecord(start, stream));
  SAY(cudaEventElapsedTime(&milliseconds, start, stop));
  SAY(cudaEventRecord(stop, stream));
  SAY(cudaEventSynchronize(stop));
  SAY(cudaEventElapsedTime(&milliseconds, start, stop));
  std::printf("elapsed is %s\n", milliseconds >= 0 ? "not negative" : "negative");
  SAY(cudaEventElapsedTime(nullptr, start, stop));
  SAY(cudaEventRecord(untimed, stream));
  SAY(cudaEventSynchronize(untimed));
  SAY(cudaEventElapsedTime(&milliseconds, start, untimed));
  SAY(cudaStreamWaitEvent(stream, stop, 0));
  SAY(cudaEventRecord(nullptr, stream));
  SAY(cudaEventQuery(nullptr));
  SAY(cudaEventSynchronize(nullptr));
  SAY(cudaEventDestroy(nullptr));
  SAY(cudaStreamWaitEvent(stream, nullptr, 0));
  SAY(cudaStreamDestroy(nullptr));
  SAY(cudaStreamDestroy(cudaStreamLegacy));
  SAY(cudaGetLastError());
  int called = 0;
  SAY(cudaLaunchHostFunc(stream, count_call, &called));
  SAY(cudaStreamSynchronize(stream));
  std::printf("host function called %d time\n", called);
  SAY(cudaLaunchHostFunc(stream, nullptr, &called));
  SAY(cudaStreamAddCallback(stream, count_callback, &called, 0));
  SAY(cudaStreamSynchronize(stream));
  std::printf("called %d times\n", called);
  SAY(cudaGetLastError());
  SAY(cudaEventDestroy(start));
  SAY(cudaEventDestroy(stop));
  SAY(cudaStreamDestroy(stream));
  SAY(cudaDeviceSynchronize());
}

// After a fault in a kernel nearly every call returns that error.
void after_a_fault(const char* fault) {
  int* d = nullptr;
  int host = 0;
  cudaEvent_t event = nullptr;
  cudaStream_t stream = nullptr;
  SAY(cudaMalloc(&d, 4096));
  SAY(cudaEventCreate(&event));
  SAY(cudaStreamCreate(&stream));
  if (!std::strcmp(fault, "illegal")) touch<<<1, 32>>>(reinterpret_cast<int*>(0x10));
  if (!std::strcmp(fault, "assert")) fails_assert<<<1, 1>>>();
  if (!std::strcmp(fault, "trap")) traps<<<1, 1>>>();
  if (!std::strcmp(fault, "misaligned")) misaligned<<<1, 1>>>(reinterpret_cast<char*>(d));
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
  SAY(cudaPeekAtLastError());
  SAY(cudaGetLastError());
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
  SAY(cudaGetLastError());
  SAY(cudaMalloc(&d, 64));
  SAY(cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost));
  SAY(cudaMemset(d, 0, 4));
  SAY(cudaFree(d));
  SAY(cudaFree(nullptr));
  void* pinned = nullptr;
  SAY(cudaMallocHost(&pinned, 64));
  touch<<<1, 32>>>(d);
  SAY(cudaGetLastError());
  touch<<<1, 2048>>>(d);
  SAY(cudaGetLastError());
  SAY(cudaEventRecord(event));
  SAY(cudaEventQuery(event));
  SAY(cudaEventSynchronize(event));
  SAY(cudaEventDestroy(event));
  SAY(cudaEventCreate(&event));
  SAY(cudaStreamSynchronize(stream));
  SAY(cudaStreamQuery(stream));
  SAY(cudaStreamDestroy(stream));
  SAY(cudaStreamCreate(&stream));
  cudaFuncAttributes function{};
  SAY(cudaFuncGetAttributes(&function, touch));
  int value = 0;
  SAY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, touch, 256, 0));
  SAY(cudaGetDevice(&value));
  SAY(cudaGetDeviceCount(&value));
  SAY(cudaSetDevice(0));
  SAY(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
  cudaDeviceProp properties;
  SAY(cudaGetDeviceProperties(&properties, 0));
  SAY(cudaRuntimeGetVersion(&value));
  cudaPointerAttributes attributes;
  SAY(cudaPointerGetAttributes(&attributes, d));
  SAY(cudaMemcpyToSymbol(g_numbers, &host, 4));
  SAY(cudaGetLastError());
  SAY(cudaDeviceReset());
  SAY(cudaGetLastError());
  SAY(cudaMalloc(&d, 64));
  SAY(cudaDeviceSynchronize());
}

void reset() {
  int* d = nullptr;
  int values[4] = {9, 9, 9, 9};
  SAY(cudaMemcpyToSymbol(g_numbers, values, sizeof values));
  SAY(cudaMalloc(&d, 4096));
  SAY(cudaSetDevice(99));
  SAY(cudaDeviceReset());
  SAY(cudaGetLastError());
  SAY(cudaMemset(d, 0, 4096));
  SAY(cudaFree(d));
  SAY(cudaMemcpyFromSymbol(values, g_numbers, sizeof values));
  std::printf("%d %d %d %d\n", values[0], values[1], values[2], values[3]);
  LAUNCH(touch, 1, 1);
}

// Each host thread has its own last error; all threads get a fault in a kernel.
void threads() {
  SAY(cudaSetDevice(99));
  std::thread([] {
    SAY(cudaPeekAtLastError());
    touch<<<1, 2048>>>(nullptr);
  }).join();
  SAY(cudaGetLastError());
  std::thread([] {
    touch<<<1, 32>>>(reinterpret_cast<int*>(0x10));
    SAY(cudaDeviceSynchronize());
  }).join();
  SAY(cudaGetLastError());
  SAY(cudaDeviceSynchronize());
  SAY(cudaGetLastError());
}

// Numbers that must be the same on lockstep and on the card.
void properties() {
  constexpr cudaDeviceAttr kShared[] = {cudaDevAttrMaxThreadsPerBlock,
                                        cudaDevAttrMaxBlockDimX,
                                        cudaDevAttrMaxBlockDimY,
                                        cudaDevAttrMaxBlockDimZ,
                                        cudaDevAttrMaxGridDimX,
                                        cudaDevAttrMaxGridDimY,
                                        cudaDevAttrMaxGridDimZ,
                                        cudaDevAttrMaxSharedMemoryPerBlock,
                                        cudaDevAttrTotalConstantMemory,
                                        cudaDevAttrWarpSize,
                                        cudaDevAttrMaxPitch,
                                        cudaDevAttrMaxRegistersPerBlock,
                                        cudaDevAttrClockRate,
                                        cudaDevAttrTextureAlignment,
                                        cudaDevAttrGpuOverlap,
                                        cudaDevAttrMultiProcessorCount,
                                        cudaDevAttrKernelExecTimeout,
                                        cudaDevAttrIntegrated,
                                        cudaDevAttrCanMapHostMemory,
                                        cudaDevAttrComputeMode,
                                        cudaDevAttrSurfaceAlignment,
                                        cudaDevAttrConcurrentKernels,
                                        cudaDevAttrEccEnabled,
                                        cudaDevAttrMemoryClockRate,
                                        cudaDevAttrGlobalMemoryBusWidth,
                                        cudaDevAttrL2CacheSize,
                                        cudaDevAttrMaxThreadsPerMultiProcessor,
                                        cudaDevAttrAsyncEngineCount,
                                        cudaDevAttrUnifiedAddressing,
                                        cudaDevAttrTexturePitchAlignment,
                                        cudaDevAttrComputeCapabilityMajor,
                                        cudaDevAttrComputeCapabilityMinor,
                                        cudaDevAttrStreamPrioritiesSupported,
                                        cudaDevAttrGlobalL1CacheSupported,
                                        cudaDevAttrLocalL1CacheSupported,
                                        cudaDevAttrMaxSharedMemoryPerMultiprocessor,
                                        cudaDevAttrMaxRegistersPerMultiprocessor,
                                        cudaDevAttrManagedMemory,
                                        cudaDevAttrSingleToDoublePrecisionPerfRatio,
                                        cudaDevAttrPageableMemoryAccess,
                                        cudaDevAttrConcurrentManagedAccess,
                                        cudaDevAttrComputePreemptionSupported,
                                        cudaDevAttrCooperativeLaunch,
                                        cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                        cudaDevAttrHostRegisterSupported,
                                        cudaDevAttrMaxBlocksPerMultiprocessor,
                                        cudaDevAttrReservedSharedMemoryPerBlock,
                                        cudaDevAttrMemoryPoolsSupported};
  for (const cudaDeviceAttr attribute : kShared) {
    int value = 0;
    const cudaError_t error = cudaDeviceGetAttribute(&value, attribute, 0);
    std::printf("attribute %d: %s, %d\n", attribute, cudaGetErrorName(error), value);
  }
  for (int i = 0; i < 6; ++i) {
    size_t value = 0;
    const cudaError_t error = cudaDeviceGetLimit(&value, static_cast<cudaLimit>(i));
    std::printf("limit %d: %s, %zu\n", i, cudaGetErrorName(error), value);
  }
  cudaDeviceProp p;
  SAY(cudaGetDeviceProperties(&p, 0));
  std::printf("%zu shared, pitch %zu, const %zu, texture %zu, pitch %zu, surface %zu, %d.%d, %d SMs\n",
              p.sharedMemPerBlock, p.memPitch, p.totalConstMem, p.textureAlignment, p.texturePitchAlignment,
              p.surfaceAlignment, p.major, p.minor, p.multiProcessorCount);
  std::printf("block at most %d %d %d, grid at most %d %d %d, %d threads and %d blocks on an SM\n", p.maxThreadsDim[0],
              p.maxThreadsDim[1], p.maxThreadsDim[2], p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2],
              p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor);
}

}  // namespace

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);  // output before a crash must not be lost
  const char* group = argc > 1 ? argv[1] : "";
  if (!std::strcmp(group, "errors"))
    ask_for_errors();
  else if (!std::strcmp(group, "memory"))
    allocate_and_copy();
  else if (!std::strcmp(group, "pointers"))
    tell_pointers();
  else if (!std::strcmp(group, "symbols"))
    use_symbols();
  else if (!std::strcmp(group, "launch"))
    launch();
  else if (!std::strcmp(group, "occupancy"))
    ask_for_occupancy();
  else if (!std::strcmp(group, "streams"))
    streams_and_events();
  else if (!std::strcmp(group, "reset"))
    reset();
  else if (!std::strcmp(group, "threads"))
    threads();
  else if (!std::strcmp(group, "properties"))
    properties();
  else
    after_a_fault(group);
  return 0;
}
