// Libraries that a program loads while it runs, from a text of PTX and from a file; and copies in a batch.
#include <cstring>
#include <fstream>
#include <string>

#include "device_ints.h"

// twice: *to = 2 * from + offset. other: nothing.
static const char* const kPtx = R"(.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 5;
.visible .entry twice(.param .u64 to, .param .u32 from)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [from];
  ld.global.u32 %r2, [offset];
  mad.lo.s32 %r3, %r1, 2, %r2;
  cvta.to.global.u64 %rd2, %rd1;
  st.global.u32 [%rd2], %r3;
  ret;
}
.visible .entry other()
{
  ret;
}
)";

static cudaLibrary_t loaded(const char* text) {
  cudaLibrary_t library;
  CUDA_CHECK(cudaLibraryLoadData(&library, text, nullptr, nullptr, 0, nullptr, nullptr, 0));
  return library;
}

static int run_twice(cudaLibrary_t library, int from) {
  const DeviceInts to(1);
  cudaKernel_t kernel;
  CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "twice"));
  int* address = to.d;
  void* arguments[] = {&address, &from};
  CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(kernel), 1, 1, arguments, 0, nullptr));
  return to.read(1)[0];
}

static void kernels_and_variables() {
  std::string text = kPtx;
  const cudaLibrary_t library = loaded(text.c_str());
  text.assign(text.size(), '?');  // the library has its own copy
  expect_equal("twice", run_twice(library, 7), 19);
  void* offset = nullptr;
  size_t bytes = 0;
  CUDA_CHECK(cudaLibraryGetGlobal(&offset, &bytes, library, "offset"));
  expect_equal("bytes of a variable", bytes, sizeof(int));
  const int three = 3;
  CUDA_CHECK(cudaMemcpy(offset, &three, sizeof three, cudaMemcpyHostToDevice));
  expect_equal("twice, with another offset", run_twice(library, 7), 17);
  const cudaLibrary_t second = loaded(kPtx);
  expect_equal("another library has its own variable", run_twice(second, 7), 19);

  unsigned count = 0;
  CUDA_CHECK(cudaLibraryGetKernelCount(&count, library));
  expect_equal("kernels", count, 2u);
  cudaKernel_t kernels[2], twice;
  CUDA_CHECK(cudaLibraryEnumerateKernels(kernels, 2, library));
  CUDA_CHECK(cudaLibraryGetKernel(&twice, library, "twice"));
  expect_equal("the same handle", kernels[0] == twice || kernels[1] == twice, true);
  cudaFuncAttributes attributes;
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(twice)));
  expect_equal("threads of a block", attributes.maxThreadsPerBlock > 0, true);
  CUDA_CHECK(cudaLibraryUnload(second));
  CUDA_CHECK(cudaLibraryUnload(library));
}

static void from_a_file() {
  char name[] = "/tmp/libraries_XXXXXX";
  const int descriptor = mkstemp(name);
  std::ofstream(name) << kPtx << std::flush;
  cudaLibrary_t library;
  CUDA_CHECK(cudaLibraryLoadFromFile(&library, name, nullptr, nullptr, 0, nullptr, nullptr, 0));
  std::remove(name);
  expect_equal("from a file", run_twice(library, 1), 7);
  CUDA_CHECK(cudaLibraryUnload(library));
  expect_equal("a file that is not there",
               cudaLibraryLoadFromFile(&library, name, nullptr, nullptr, 0, nullptr, nullptr, 0),
               cudaErrorFileNotFound);
  cudaGetLastError();
  (void)descriptor;
}

static void errors() {
  const cudaLibrary_t library = loaded(kPtx);
  cudaKernel_t kernel;
  void* address = nullptr;
  expect_equal("no such kernel", cudaLibraryGetKernel(&kernel, library, "thrice"), cudaErrorSymbolNotFound);
  expect_equal("no such variable", cudaLibraryGetGlobal(&address, nullptr, library, "set"), cudaErrorSymbolNotFound);
  expect_equal("no name", cudaLibraryGetKernel(&kernel, library, nullptr), cudaErrorInvalidValue);
  expect_equal("no code", cudaLibraryLoadData(nullptr, kPtx, nullptr, nullptr, 0, nullptr, nullptr, 0),
               cudaErrorInvalidValue);
  CUDA_CHECK(cudaLibraryUnload(library));
  cudaGetLastError();
}

static void batch() {
  const DeviceInts a(4), b(4);
  const int from[] = {1, 2, 3, 4};
  void* const to[] = {a.d, b.d + 2};
  const void* const sources[] = {from, from + 1};
  const size_t bytes[] = {16, 8};
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t first = 0;
  cudaStream_t stream;
  CUDA_CHECK(cudaStreamCreate(&stream));
  CUDA_CHECK(cudaMemcpyBatchAsync(to, sources, bytes, 2, &attributes, &first, 1, stream));
  CUDA_CHECK(cudaStreamSynchronize(stream));
  expect_equal("first of a batch", a.read(4), {1, 2, 3, 4});
  expect_equal("second of a batch", b.read(4), {0, 0, 2, 3});
  expect_equal("a batch in the legacy stream",
               cudaMemcpyBatchAsync(to, sources, bytes, 2, &attributes, &first, 1, nullptr), cudaErrorInvalidValue);
  cudaGetLastError();
  CUDA_CHECK(cudaStreamDestroy(stream));
}

int main() {
  kernels_and_variables();
  from_a_file();
  errors();
  batch();
  return verdict("libraries");
}
