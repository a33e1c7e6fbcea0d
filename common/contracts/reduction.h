// contract "reduction": the sum of n ints, modulo 2^32 as unsigned arithmetic wraps.
#pragma once

// data is device memory, n elements, and may be overwritten. n = 0 gives 0. Returns when the sum is known.
int reduce_sum(int* data, int n);

// The same with blocks of `block` threads, one of the lab's "blocks".
int reduce_sum_block(int* data, int n, int block);
