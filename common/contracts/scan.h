// contract "scan": prefix sums of floats and of integers. Labs implement these; the runner calls them.
//
// Sizes are numbers of elements. in and out do not overlap; in must not change. n = 0 is allowed and writes nothing.
#pragma once

// On the host, in host memory, one after the other: the baseline that every kernel is compared with.
void scan_inclusive_cpu(const float* in, int n, float* out);  // out[i] = in[0] + … + in[i]
void scan_exclusive_cpu(const float* in, int n, float* out);  // out[i] = in[0] + … + in[i-1], out[0] = 0

// On the device: in and out are device memory. May return before the work is done (default stream).
void scan_inclusive(const float* in, int n, float* out);
void scan_exclusive(const float* in, int n, float* out);

// Likewise. Sums of integers are taken modulo 2^32 or 2^64, as unsigned arithmetic wraps.
void scan_inclusive_int(const int* in, int n, int* out);
void scan_inclusive_long(const long long* in, int n, long long* out);

// On an OpenCL device of its own choice: in and out are host memory, and out is complete on return.
void scan_exclusive_opencl(const float* in, int n, float* out);
