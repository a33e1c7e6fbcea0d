// contract "select": the elements above zero, in their order (stream compaction).
#pragma once

// in (n ints, must not change), out (room for n ints) and count (one int) are device memory, and do not overlap.
// Writes the elements of in that are greater than zero to out[0], out[1], … in their order, and their number to *count.
// The rest of out keeps what it held. n = 0 gives a count of 0. May return before the work is done (default stream).
void select_positive(const int* in, int n, int* out, int* count);
