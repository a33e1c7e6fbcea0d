// widest: runs a function in AVX2 code if the CPU has it. In: a function with loops over 32 lanes, and its arguments.
#pragma once

namespace lockstep {

#if defined(__x86_64__)
inline const bool kHasAvx2 = __builtin_cpu_supports("avx2");

template <auto function, class... Arguments>
[[gnu::target("avx2"), gnu::flatten, gnu::noinline]] auto in_avx2(Arguments... arguments) {
  return function(arguments...);
}
#endif

// function(arguments…), in AVX2 code if the CPU has it: for loops over 32 lanes.
template <auto function, class... Arguments>
auto widest(Arguments... arguments) {
#if defined(__x86_64__)
  if (kHasAvx2) return in_avx2<function>(arguments...);
#endif
  return function(arguments...);
}

}  // namespace lockstep
