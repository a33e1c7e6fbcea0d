// Only starts the runtime. The memory of other programs is compared with this program's.
int main() { return cudaFree(nullptr) == cudaSuccess ? 0 : 1; }
