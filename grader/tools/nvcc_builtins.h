// nvcc_builtins: what nvcc knows without an #include and clang does not, so that clangd reads a kernel as nvcc does.
// Only clangd sees this file (AddLab.cmake). Declarations are enough, because clangd never links. Left out: names that
// clang knows by itself.
#pragma once

#include <cassert>
#include <type_traits>

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

namespace warpladder::clangd {

template <typename T>
using Same = std::type_identity_t<T>;  // a parameter from which T is not deduced
template <typename A, typename B>
using Common = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>, std::common_type_t<A, B>>;
constexpr int kSystem = __NV_THREAD_SCOPE_SYSTEM;

}  // namespace warpladder::clangd

// Atomic operations, as the CUDA programming guide declares them.
template <typename T>
__device__ void __nv_atomic_load(const T* from, T* to, int order, int scope = warpladder::clangd::kSystem);
template <typename T>
__device__ std::remove_cv_t<T> __nv_atomic_load_n(T* from, int order, int scope = warpladder::clangd::kSystem);
template <typename T>
__device__ void __nv_atomic_store(T* to, T* from, int order, int scope = warpladder::clangd::kSystem);
template <typename T>
__device__ void __nv_atomic_store_n(T* to, warpladder::clangd::Same<T> value, int order,
                                    int scope = warpladder::clangd::kSystem);
template <typename T>
__device__ void __nv_atomic_exchange(T* to, T* value, T* old, int order, int scope = warpladder::clangd::kSystem);
template <typename T>
__device__ T __nv_atomic_exchange_n(T* to, warpladder::clangd::Same<T> value, int order,
                                    int scope = warpladder::clangd::kSystem);
template <typename T>
__device__ bool __nv_atomic_compare_exchange(T* to, T* expected, T* wanted, bool weak, int success, int failure,
                                             int scope = warpladder::clangd::kSystem);
template <typename T>
__device__ bool __nv_atomic_compare_exchange_n(T* to, T* expected, warpladder::clangd::Same<T> wanted, bool weak,
                                               int success, int failure, int scope = warpladder::clangd::kSystem);
#define WARPLADDER_FETCH(name)                                                               \
  template <typename T>                                                                      \
  __device__ T __nv_atomic_fetch_##name(T* to, warpladder::clangd::Same<T> value, int order, \
                                        int scope = warpladder::clangd::kSystem)
WARPLADDER_FETCH(add);
WARPLADDER_FETCH(sub);
WARPLADDER_FETCH(and);
WARPLADDER_FETCH(or);
WARPLADDER_FETCH(xor);
WARPLADDER_FETCH(min);
WARPLADDER_FETCH(max);
#undef WARPLADDER_FETCH
__device__ void __nv_atomic_thread_fence(int order, int scope = warpladder::clangd::kSystem);

// clang has the other stores with a cache hint (__stcg, __stwb, __stwt).
template <typename T>
__device__ void __stcs(T* to, warpladder::clangd::Same<T> value);

// clang has them for kernels; nvcc also for the host, and for arguments of two types.
template <typename A, typename B>
__host__ warpladder::clangd::Common<A, B> min(A a, B b);
template <typename A, typename B>
__host__ warpladder::clangd::Common<A, B> max(A a, B b);
