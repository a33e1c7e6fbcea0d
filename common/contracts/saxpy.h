// contract "saxpy": out[i] = a · x[i] + y[i], a whole program around one kernel. Labs implement it; the runner calls
// it.
#pragma once

inline constexpr float kSaxpyA = 2.5f;  // the runner passes this for a

// x, y (n floats each, must not change) and out are host memory. Copies x and y to the device, computes there, copies
// the result back into out, and frees its memory on the device. Returns the milliseconds that the kernel took, by two
// events. n = 0 is allowed and gives 0. Every CUDA error ends the program (CUDA_CHECK).
float saxpy(const float* x, const float* y, int n, float a, float* out);
