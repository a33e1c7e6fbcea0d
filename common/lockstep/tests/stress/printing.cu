// printing: calls of printf() with many formats, by some lanes of a warp or by all, in loops and branches. The card's
// printf() accesses memory, too. The counters are compared with those of a card (ncu_equality).
#include "stress.h"

enum Format {
  nothing,
  text,
  number,
  numbers,
  wide,
  mixed,
  flags,
  percent,
  star,
  string,
  strings,
  characters,
  pointer,
  long_text,
  longer_text,
  many,
  unknown
};

#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

template <Format kFormat>
__device__ void print(int i) {
  const double half = 0.5 * i;
  const long long square = 1ll * i * i;
  if constexpr (kFormat == nothing) printf("");
  if constexpr (kFormat == text) printf("Hello from the card\n");
  if constexpr (kFormat == number) printf("%d\n", i);
  if constexpr (kFormat == numbers) printf("(%d, %u, %x)\n", i, i + 1, i + 2);
  if constexpr (kFormat == wide) printf("%f %lld %ld\n", half, square, square);
  if constexpr (kFormat == mixed) printf("lane %d: %f, %d\n", i, half, i);
  if constexpr (kFormat == flags) printf("%5d|%-5d|%05d|%+d|%8.3f\n", i, i, i, i, half);
  if constexpr (kFormat == percent) printf("100%% of %d\n", i);
  if constexpr (kFormat == star) printf("%*d\n", 6, i);
  if constexpr (kFormat == string) printf("%s %d\n", "lane", i);
  if constexpr (kFormat == strings) printf("%s, %s: %f\n", "two", "texts", half);
  if constexpr (kFormat == characters) printf("%c%c\n", 'a' + i % 26, 'b');
  if constexpr (kFormat == pointer) printf("%p\n", static_cast<void*>(nullptr));
  if constexpr (kFormat == long_text) printf(HUNDRED HUNDRED TEN "01234\n");
  if constexpr (kFormat == longer_text) printf(HUNDRED HUNDRED TEN "012345%d\n", i);
  if constexpr (kFormat == many)
    printf("%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", i, i, i, i, i, i, i,
           i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
  if constexpr (kFormat == unknown) printf("%zu\n", static_cast<size_t>(i));
}

template <Format kFormat>
__global__ void by_first(int lanes) {
  const int i = threadIdx.x;
  if (i < lanes) print<kFormat>(i);
}

template <Format kFormat>
void run() {
  by_first<kFormat><<<1, 32>>>(1);
  by_first<kFormat><<<1, 32>>>(32);
}

__global__ void by_odd() {
  if (threadIdx.x % 2) printf("%d\n", threadIdx.x);
}

__global__ void by_second_warp() {
  if (threadIdx.x / 32 == 1) printf("%d\n", threadIdx.x);
}

// Two calls, of different lanes.
__global__ void on_two_sides() {
  if (threadIdx.x < 7)
    printf("first %d\n", threadIdx.x);
  else
    printf("the others %d\n", threadIdx.x);
}

__global__ void in_loop(const int* values, int n) {
  if (threadIdx.x == 0)
    for (int i = 0; i < n; ++i) printf("%d: %d\n", i, values[i]);
}

// Lanes leave the loop in different turns.
__global__ void in_some_turns() {
  for (int i = 0; i < threadIdx.x % 4; ++i) printf("turn %d\n", i);
}

__device__ __noinline__ void say(int i) { printf("say %d\n", i); }
__global__ void in_function() { say(threadIdx.x); }

// Texts of one length at different addresses.
__global__ void of_names() {
  static const char* const kNames[] = {"even", "odd!"};
  printf("%s\n", kNames[threadIdx.x % 2]);
}

__global__ void shared_sum(const int* values, int* sum) {
  __shared__ int s[32];
  s[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  for (int step = 16; step > 0; step /= 2) {
    if (threadIdx.x < step) s[threadIdx.x] += s[threadIdx.x + step];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    *sum = s[0];
    printf("sum %d\n", *sum);
  }
}

__global__ void by_several_warps() { printf("block %d, thread %d\n", blockIdx.x, threadIdx.x); }

int main() {
  run<nothing>();
  run<text>();
  run<number>();
  run<numbers>();
  run<wide>();
  run<mixed>();
  run<flags>();
  run<percent>();
  run<star>();
  run<string>();
  run<strings>();
  run<characters>();
  run<pointer>();
  run<long_text>();
  run<longer_text>();
  run<many>();
  run<unknown>();
  by_first<number><<<1, 32>>>(9);
  by_first<mixed><<<1, 20>>>(17);
  by_odd<<<1, 32>>>();
  by_second_warp<<<1, 96>>>();
  on_two_sides<<<1, 32>>>();
  const std::vector<int> values = host_array<int>(40, 100);
  const int* d_values = to_device(values);
  in_loop<<<1, 32>>>(d_values, 40);
  in_some_turns<<<1, 32>>>();
  in_function<<<1, 32>>>();
  of_names<<<1, 32>>>();
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += values[i];
  int* d_sum = zeros<int>(1);
  shared_sum<<<1, 32>>>(d_values, d_sum);
  expect("shared_sum", d_sum, {sum});
  by_several_warps<<<2, 64>>>();
  by_several_warps<<<3, 5>>>();
  finish();
}
