// Nothing but the start of the runtime: what other programs' memory is compared with.
int main() { return cudaFree(nullptr) == cudaSuccess ? 0 : 1; }
