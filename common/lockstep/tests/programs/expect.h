// expect: comparisons with the CPU for the programs here. A program exits with 0 if all hold, else with 1.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

inline int failures = 0;

inline void cuda_check(cudaError_t error, const char* what, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "line %d: %s: %s\n", line, what, cudaGetErrorString(error));
  std::exit(1);
}
#define CUDA_CHECK(call) cuda_check(call, #call, __LINE__)

template <class T>
void expect_equal(const char* what, const std::vector<T>& got, const std::vector<T>& want) {
  if (got.size() != want.size()) {
    std::printf("%s: %zu elements, want %zu\n", what, got.size(), want.size());
    ++failures;
    return;
  }
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == want[i]) continue;
    std::printf("%s[%zu]: got %g, want %g\n", what, i, double(got[i]), double(want[i]));
    ++failures;
    return;
  }
}

template <class T>
void expect_equal(const char* what, T got, T want) {
  expect_equal(what, std::vector<T>{got}, std::vector<T>{want});
}

// |got - want| <= relative * |want|; false for NaN.
inline void expect_near(const char* what, double got, double want, double relative) {
  if (std::abs(got - want) <= relative * std::abs(want)) return;
  std::printf("%s: got %.17g, want %.17g\n", what, got, want);
  ++failures;
}

inline std::vector<int> random_ints(size_t n, int low, int high, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_int_distribution<int> distribution(low, high);
  std::vector<int> values(n);
  for (int& v : values) v = distribution(engine);
  return values;
}

inline int verdict(const char* program) {
  std::printf("%s: %s\n", program, failures ? "FAILED" : "ok");
  return failures ? 1 : 0;
}
