// contract "histogram": how often each byte value occurs.
#pragma once

#include <cstddef>

inline constexpr int kBins = 256;

// data (bytes bytes, must not change, aligned as cudaMalloc aligns) and bins (kBins counters, with any values before)
// are device memory.
// Writes every counter; bytes = 0 gives zeros. May return before the work is done (default stream).
void histogram(const unsigned char* data, size_t bytes, unsigned int* bins);

// The same with blocks of `block` threads, one of the lab's "blocks".
void histogram_block(const unsigned char* data, size_t bytes, unsigned int* bins, int block);
