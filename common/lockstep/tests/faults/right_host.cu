// right_host: programs whose host or streams wait, by any of CUDA's means. Nothing must be found.
#include <algorithm>
#include <condition_variable>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <numeric>
#include <thread>

#include <unistd.h>

#include "case.h"
#include "streams.h"

// case: waits_for_the_device
// Looks like a result that is read too early. cudaDeviceSynchronize waits for all streams.
// expect: nothing
CASE(waits_for_the_device) {
  Pinned<int> out(256);
  Stream stream;
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  cudaDeviceSynchronize();
  return out[255] == 255 && finished();
}

// case: waits_for_an_event
// Looks like a result that is read too early. The event behind the kernel has happened.
// expect: nothing
CASE(waits_for_an_event) {
  Managed<int> out(256);
  Stream stream;
  Event event;
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  cudaEventRecord(event, stream);
  cudaEventSynchronize(event);
  return out[255] == 255 && finished();
}

// case: asks_until_the_stream_is_done
// Looks like a program that never waits. It asks until the answer is yes.
// expect: nothing
CASE(asks_until_the_stream_is_done) {
  Pinned<int> out(256);
  Stream stream;
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  while (cudaStreamQuery(stream) == cudaErrorNotReady) {}
  return out[255] == 255 && finished();
}

// case: asks_until_the_event_has_happened
// Looks like a program that never waits. It asks until the answer is yes.
// expect: nothing
CASE(asks_until_the_event_has_happened) {
  Pinned<int> out(256);
  Stream first, second;
  Event event;
  count_up<<<1, 256, 0, first>>>(out, 256, 0);
  cudaEventRecord(event, first);
  count_up<<<1, 256, 0, second>>>(Device<int>(256), 256, 0);
  while (cudaEventQuery(event) == cudaErrorNotReady) {}
  return out[255] == 255 && finished();
}

// case: waits_for_a_later_copy
// Looks like a pinned result that nobody waits for. The copy behind it in the stream is waited for.
// expect: nothing
CASE(waits_for_a_later_copy) {
  Pinned<int> out(256);
  Device<int> d(256);
  std::vector<int> copy(256);
  count_up<<<1, 256>>>(out, 256, 0);
  count_up<<<1, 256>>>(d, 256, 0);
  cudaMemcpy(copy.data(), d, 256 * sizeof(int), cudaMemcpyDeviceToHost);
  return out[255] == 255 && copy[255] == 255 && finished();
}

// case: copy_into_ordinary_memory
// Looks like an asynchronous copy that nobody waits for. Into memory that is not pinned, the call waits itself.
// expect: nothing
CASE(copy_into_ordinary_memory) {
  Device<int> d(256);
  Stream stream;
  std::vector<int> out(256);
  count_up<<<1, 256, 0, stream>>>(d, 256, 0);
  cudaMemcpyAsync(out.data(), d, 256 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  return out[255] == 255 && finished();
}

// case: ordinary_source_filled_again
// Looks like a source that changes too early. From memory that is not pinned, the call has fetched the data.
// expect: nothing
CASE(ordinary_source_filled_again) {
  Device<int> d(256);
  Stream stream;
  std::vector<int> in = counting(256);
  cudaMemcpyAsync(d, in.data(), 256 * sizeof(int), cudaMemcpyHostToDevice, stream);
  std::fill(in.begin(), in.end(), 0);
  cudaStreamSynchronize(stream);
  return d.host()[255] == 255 && finished();
}

// case: default_stream_comes_between
// Looks like two streams without an edge. The default stream waits for both, and both wait for it.
// expect: nothing
CASE(default_stream_comes_between) {
  Device<int> a(256), b(256), c(256);
  Stream first(cudaStreamDefault), second(cudaStreamDefault);
  count_up<<<1, 256, 0, first>>>(a, 256, 0);
  add_one<<<1, 256>>>(a, b, 256);
  add_one<<<1, 256, 0, second>>>(b, c, 256);
  return c.host()[255] == 257 && finished();
}

// case: stream_waits_for_an_event
// Looks like two kernels without an edge. The second stream waits for the first one's event.
// expect: nothing
CASE(stream_waits_for_an_event) {
  Device<int> d(256), out(256);
  Stream first, second;
  Event event;
  count_up<<<1, 256, 0, first>>>(d, 256, 0);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(second, event);
  add_one<<<1, 256, 0, second>>>(d, out, 256);
  cudaStreamSynchronize(second);
  return out.host()[255] == 256 && finished();
}

// case: three_streams_in_a_chain
// Looks like work that the host does not wait for. The last stream knows the others' work, and the host waits for it.
// expect: nothing
CASE(three_streams_in_a_chain) {
  Pinned<int> a(64), b(64), c(64);
  Stream streams[3];
  Event events[2];
  count_up<<<1, 64, 0, streams[0]>>>(a, 64, 0);
  cudaEventRecord(events[0], streams[0]);
  cudaStreamWaitEvent(streams[1], events[0]);
  add_one<<<1, 64, 0, streams[1]>>>(a, b, 64);
  cudaEventRecord(events[1], streams[1]);
  cudaStreamWaitEvent(streams[2], events[1]);
  add_one<<<1, 64, 0, streams[2]>>>(b, c, 64);
  cudaStreamSynchronize(streams[2]);
  return a[63] == 63 && b[63] == 64 && c[63] == 65 && finished();
}

// case: host_waits_between_two_streams
// Looks like two kernels without an edge. The host launches the second only when the first has ended.
// expect: nothing
CASE(host_waits_between_two_streams) {
  Device<int> d(256), out(256);
  Stream first, second;
  count_up<<<1, 256, 0, first>>>(d, 256, 0);
  cudaStreamSynchronize(first);
  add_one<<<1, 256, 0, second>>>(d, out, 256);
  cudaStreamSynchronize(second);
  return out.host()[255] == 256 && finished();
}

// case: both_read_the_same
// Looks like two kernels that share an array. Both only read it.
// expect: nothing
CASE(both_read_the_same) {
  Device<int> table(counting(256)), a(256), b(256);
  Stream first, second;
  add_one<<<1, 256, 0, first>>>(table, a, 256);
  add_one<<<1, 256, 0, second>>>(table, b, 256);
  cudaDeviceSynchronize();
  return a.host()[255] == 256 && b.host()[255] == 256 && finished();
}

// case: pieces_of_one_array
// Looks like two streams that write one array. Each has a piece of its own, and a page holds parts of both.
// expect: nothing
CASE(pieces_of_one_array) {
  const int n = 3000, piece = n / 3;
  Device<int> d(n);
  Pinned<int> in(n), out(n);
  Stream streams[3];
  for (int k = 0; k < 3; ++k) {
    for (int i = k * piece; i < (k + 1) * piece; ++i) in[i] = i;  // while the other pieces are copied
    cudaMemcpyAsync(d + k * piece, in + k * piece, piece * sizeof(int), cudaMemcpyHostToDevice, streams[k]);
    add_one<<<(piece + 255) / 256, 256, 0, streams[k]>>>(d + k * piece, out + k * piece, piece);
  }
  int sum = 0;
  for (int k = 0; k < 3; ++k) {
    cudaStreamSynchronize(streams[k]);
    for (int i = k * piece; i < (k + 1) * piece; ++i) sum += out[i];  // while the next pieces are written
  }
  return sum == n * (n + 1) / 2 && finished();
}

// case: two_buffers_in_turn
// Looks like a buffer that is filled while it is copied. Each has an event that says when it is free.
// expect: nothing
CASE(two_buffers_in_turn) {
  const int n = 700, rounds = 6;
  Pinned<int> buffers(2 * n);
  Device<int> d(rounds * n);
  Stream stream;
  Event free[2];
  for (int r = 0; r < rounds; ++r) {
    int* const buffer = buffers + r % 2 * n;
    cudaEventSynchronize(free[r % 2]);  // not recorded yet in the first two rounds: nothing to wait for
    std::iota(buffer, buffer + n, r * n);
    cudaMemcpyAsync(d + r * n, buffer, n * sizeof(int), cudaMemcpyHostToDevice, stream);
    cudaEventRecord(free[r % 2], stream);
  }
  cudaStreamSynchronize(stream);
  return d.host()[rounds * n - 1] == rounds * n - 1 && finished();
}

// case: host_reads_while_the_kernel_reads
// Looks like host and kernel at one array. Both only read it.
// expect: nothing
CASE(host_reads_while_the_kernel_reads) {
  Managed<int> in(256);
  std::iota(in.begin(), in.end(), 0);
  Device<int> out(256);
  add_one<<<1, 256>>>(in, out, 256);
  const int sum = std::accumulate(in.begin(), in.end(), int{0});
  return finished() && sum == 32640 && out.host()[255] == 256;
}

// case: host_function_says_so
// Looks like a result that nobody waits for. A host function behind the kernel wakes the waiting thread.
// expect: nothing
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = false;
};
static void open_gate(void* data) {
  Gate& gate = *static_cast<Gate*>(data);
  const std::lock_guard lock(gate.mutex);
  gate.open = true;
  gate.changed.notify_one();
}
CASE(host_function_says_so) {
  Pinned<int> out(256);
  Stream stream;
  Gate gate;
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  cudaLaunchHostFunc(stream, open_gate, &gate);
  std::unique_lock lock(gate.mutex);
  gate.changed.wait(lock, [&] { return gate.open; });
  return out[255] == 255 && finished();
}

// case: host_function_reads_it
// Looks like a read without a wait. The host function runs behind the kernel of its stream.
// expect: nothing
struct Sum {
  const int* data;
  int n, sum;
};
static void add_up(void* data) {
  Sum& s = *static_cast<Sum*>(data);
  s.sum = std::accumulate(s.data, s.data + s.n, 0);
}
CASE(host_function_reads_it) {
  Pinned<int> out(256);
  Stream stream;
  Sum sum{out, 256, 0};
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  cudaLaunchHostFunc(stream, add_up, &sum);
  cudaStreamSynchronize(stream);
  return sum.sum == 32640 && finished();
}

// case: kernel_sets_a_flag
// Looks like a result that is read while the kernel runs. The kernel says by a flag of the whole system that it is
// there.
// expect: nothing
__global__ void publish(volatile int* data, volatile int* flag) {
  *data = 42;
  __threadfence_system();
  *flag = 1;
}
CASE(kernel_sets_a_flag) {
  Pinned<int> memory(2);
  memory[0] = memory[1] = 0;
  volatile int* const flag = memory + 1;
  publish<<<1, 1>>>(memory, memory + 1);
  while (*flag == 0) {}
  const int data = *static_cast<volatile int*>(memory + 0);
  return data == 42 && finished();
}

// case: events_around_pool_memory
// Looks like memory that another stream uses. Events order allocation, use and the end.
// expect: nothing
CASE(events_around_pool_memory) {
  Stream first, second;
  Event allocated, used;
  int* d = nullptr;
  Pinned<int> out(256);
  cudaMallocAsync(&d, 256 * sizeof(int), first);
  cudaEventRecord(allocated, first);
  cudaStreamWaitEvent(second, allocated);
  count_up<<<1, 256, 0, second>>>(d, 256, 0);
  cudaMemcpyAsync(out, d, 256 * sizeof(int), cudaMemcpyDeviceToHost, second);
  cudaEventRecord(used, second);
  cudaStreamWaitEvent(first, used);
  cudaFreeAsync(d, first);
  cudaStreamSynchronize(first);
  return out[255] == 255 && finished();
}

// case: free_waits
// Looks like a result that nobody waits for. cudaFree waits for the whole device.
// expect: nothing
CASE(free_waits) {
  Pinned<int> out(256);
  Stream stream;
  int* scratch = nullptr;
  cudaMalloc(&scratch, 1024);
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  cudaFree(scratch);
  return out[255] == 255 && finished();
}

// case: another_thread_waits
// Looks like a thread that does not wait. It is told by the thread that did.
// expect: nothing
CASE(another_thread_waits) {
  Pinned<int> out(256);
  Stream stream;
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  std::thread([&] { cudaStreamSynchronize(stream); }).join();
  return out[255] == 255 && finished();
}

// case: written_to_a_pipe
// Looks like a system call on memory that is written. The kernel writes the other half.
// expect: nothing
CASE(written_to_a_pipe) {
  const int n = 1 << 14;
  Pinned<int> out(2 * n + 10);
  Stream first, second;
  count_up<<<n / 256, 256, 0, first>>>(out, n, 0);
  count_up<<<n / 256 + 1, 256, 0, second>>>(out + n + 5, n, n);
  cudaStreamSynchronize(first);
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool sent = write(ends[1], out + n - 1000, 1005 * sizeof(int)) == 1005 * sizeof(int);
  close(ends[0]);
  close(ends[1]);
  return finished() && sent;
}

// case: own_handler_of_faults
// Looks like a program that handles faults itself. It does, and its handler still gets those that are its own.
// expect: nothing
static sigjmp_buf behind_the_fault;
static void on_fault(int) { siglongjmp(behind_the_fault, 1); }
CASE(own_handler_of_faults) {
  Pinned<int> out(256);
  Stream stream;
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  std::signal(SIGSEGV, on_fault);
  count_up<<<1, 256, 0, stream>>>(out, 256, 0);
  bool handled = false;
  if (sigsetjmp(behind_the_fault, 1) == 0)
    *reinterpret_cast<volatile int*>(8) = 1;
  else
    handled = true;
  cudaStreamSynchronize(stream);
  return handled && out[255] == 255 && finished();
}
