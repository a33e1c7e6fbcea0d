// contract "sort": keys in ascending order. All of these sorts are stable: equal keys keep their order.
//
// All arrays are device memory and do not overlap; the inputs must not change. n = 0 writes nothing. The functions may
// return before the work is done (default stream).
#pragma once

void sort_by_digit(const unsigned* in, int n, unsigned* out);  // by the lowest 8 bits of each element only
void sort_keys(const unsigned* in, int n, unsigned* out);      // by all 32 bits

// Sorts the keys; each value goes where its key goes.
void sort_pairs(const unsigned* keys, const unsigned* values, int n, unsigned* keys_out, unsigned* values_out);
