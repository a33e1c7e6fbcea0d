// contract "reduction": the sum of n elements. Sums of integers are taken modulo 2^32 or 2^64, as unsigned arithmetic
// wraps.
#pragma once

// data is device memory, n elements, and may be overwritten. n = 0 gives 0. Returns when the sum is known.
int reduce_sum(int* data, int n);

// The same with blocks of `block` threads, one of the lab's "blocks".
int reduce_sum_block(int* data, int n, int block);

// The same for other types; here data must not change.
float reduce_sum_float(const float* data, int n);
long long reduce_sum_long(const long long* data, int n);
