// runtime_separate_other: the other file of runtime_separate.
__device__ int twice(int x) { return 2 * x; }
