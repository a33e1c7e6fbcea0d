// host_race: the host, or work in another stream, uses memory that unfinished work still uses. lockstep ends each
// launch before the call returns, so the answers here are mostly right; on a card they may not be.
#include <algorithm>
#include <numeric>

#include "case.h"
#include "streams.h"

// case: pinned_result_read_at_once
// Thinks: the result is there when the launch returns. The launch has only begun.
// expect: host_race
// says: cudaDeviceSynchronize
CASE(pinned_result_read_at_once) {
  Pinned<int> out(256);
  count_up<<<1, 256>>>(out, 256, 0);  // HERE
  const int last = out[255];          // OTHER
  return finished() && last == 255;
}

// case: managed_result_read_at_once
// Thinks: managed memory waits by itself. It moves by itself; nobody waits.
// expect: host_race
CASE(managed_result_read_at_once) {
  Managed<int> out(1000);
  count_up<<<4, 256>>>(out, 1000, 0);                               // HERE
  const int sum = std::accumulate(out.begin(), out.end(), int{0});  // OTHER
  return finished() && sum == 499500;
}

// case: atomic_counter_read_at_once
// Thinks: an atomic counter can be read at any time. It is atomic among the device's threads only.
// expect: host_race
__global__ void count_even(const int* in, int n, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 2 == 0) atomicAdd(count, 1);
}
CASE(atomic_counter_read_at_once) {
  Device<int> in(counting(512));
  Managed<int> count(1);
  count[0] = 0;
  count_even<<<2, 256>>>(in, 512, count);  // HERE
  const int even = count[0];               // OTHER
  return finished() && even == 256;
}

// case: copy_back_not_waited_for
// Thinks: the copy has been made when the call returns. Into pinned memory it is only begun.
// expect: host_race
// says: cudaMemcpyAsync
CASE(copy_back_not_waited_for) {
  Device<int> d(counting(2000));
  Pinned<int> out(2000);
  Stream stream;
  cudaMemcpyAsync(out, d, 2000 * sizeof(int), cudaMemcpyDeviceToHost, stream);  // HERE
  const int last = out[1999];                                                   // OTHER
  return finished() && last == 1999;
}

// case: source_changed_too_early
// Thinks: the data has left the buffer when the call returns, so the buffer can be filled again.
// expect: host_race
// says: write
CASE(source_changed_too_early) {
  Device<int> d(512);
  Pinned<int> buffer(512);
  std::iota(buffer.begin(), buffer.end(), 0);
  Stream stream;
  cudaMemcpyAsync(d, buffer, 512 * sizeof(int), cudaMemcpyHostToDevice, stream);  // HERE
  buffer[0] = 7;                                                                  // OTHER
  return finished() && d.host()[1] == 1;
}

// case: input_changed_under_the_kernel
// Thinks: the kernel has read its input when the launch returns.
// expect: host_race
CASE(input_changed_under_the_kernel) {
  Managed<int> in(256);
  std::iota(in.begin(), in.end(), 0);
  Device<int> out(256);
  add_one<<<1, 256>>>(in, out, 256);  // HERE
  in[3] = 0;                          // OTHER
  return finished();
}

// case: waited_for_the_other_stream
// Thinks: one wait is enough. It is a wait for the stream that has nothing to do.
// expect: host_race
CASE(waited_for_the_other_stream) {
  Pinned<int> out(64);
  Stream busy, idle;
  count_up<<<1, 64, 0, busy>>>(out, 64, 0);  // HERE
  cudaStreamSynchronize(idle);
  const int last = out[63];  // OTHER
  return finished() && last == 63;
}

// case: default_stream_waited_for
// Thinks: the default stream waits for all others. Not for those that do not block.
// expect: host_race
CASE(default_stream_waited_for) {
  Pinned<int> out(64);
  Stream stream;
  count_up<<<1, 64, 0, stream>>>(out, 64, 0);  // HERE
  cudaStreamSynchronize(nullptr);
  const int last = out[63];  // OTHER
  return finished() && last == 63;
}

// case: event_before_the_kernel
// Thinks: the event stands for the stream. It stands for what the stream had when it was recorded.
// expect: host_race
CASE(event_before_the_kernel) {
  Pinned<int> out(64);
  Stream stream;
  Event event;
  cudaEventRecord(event, stream);
  count_up<<<1, 64, 0, stream>>>(out, 64, 0);  // HERE
  cudaEventSynchronize(event);
  const int last = out[63];  // OTHER
  return finished() && last == 63;
}

// case: one_of_two_results_waited_for
// Thinks: both kernels are short, so the second has ended when the first has.
// expect: host_race
CASE(one_of_two_results_waited_for) {
  Managed<int> out(2);
  Stream first, second;
  count_up<<<1, 1, 0, first>>>(out, 1, 10);
  count_up<<<1, 1, 0, second>>>(out + 1, 1, 20);  // HERE
  cudaStreamSynchronize(first);
  const int a = out[0];
  const int b = out[1];  // OTHER
  return finished() && a == 10 && b == 20;
}

// case: second_half_not_waited_for
// Thinks: after the first half the rest is there, too. Each half has a stream of its own.
// expect: host_race
CASE(second_half_not_waited_for) {
  const int n = 5000;  // a half is no whole number of pages
  Device<int> d(counting(n));
  Pinned<int> out(n);
  Stream streams[2];
  cudaMemcpyAsync(out, d, n / 2 * sizeof(int), cudaMemcpyDeviceToHost, streams[0]);
  cudaMemcpyAsync(out + n / 2, d + n / 2, n / 2 * sizeof(int), cudaMemcpyDeviceToHost, streams[1]);  // HERE
  cudaStreamSynchronize(streams[0]);
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += out[i];  // OTHER
  return finished() && sum == (n - 1) * (n / 2);
}

// case: copied_on_another_stream
// Thinks: the copy was called first, so it is made first. The kernel's stream does not know of it.
// expect: host_race
// says: cudaStreamWaitEvent
CASE(copied_on_another_stream) {
  Pinned<int> in(256);
  std::iota(in.begin(), in.end(), 0);
  Device<int> d(256), out(256);
  Stream copies;
  cudaMemcpyAsync(d, in, 256 * sizeof(int), cudaMemcpyHostToDevice, copies);  // OTHER
  add_one<<<1, 256>>>(d, out, 256);                                           // HERE
  return finished() && out.host()[255] == 256;
}

// case: two_kernels_in_two_streams
// Thinks: kernels run in the order of their launches. In two streams they run in any order.
// expect: host_race
CASE(two_kernels_in_two_streams) {
  Device<int> d(256), out(256);
  Stream first, second;
  count_up<<<1, 256, 0, first>>>(d, 256, 0);    // OTHER
  add_one<<<1, 256, 0, second>>>(d, out, 256);  // HERE
  return finished() && out.host()[255] == 256;
}

// case: two_writers_in_two_streams
// Thinks: the second kernel overwrites the first one's values. Perhaps the first comes last.
// expect: host_race
CASE(two_writers_in_two_streams) {
  Device<int> d(256);
  Stream first, second;
  count_up<<<1, 256, 0, first>>>(d, 256, 0);      // OTHER
  count_up<<<1, 256, 0, second>>>(d, 256, 1000);  // HERE
  return finished() && d.host()[0] == 1000;
}

// case: event_recorded_but_not_waited_for
// Thinks: recording the event is enough. Somebody must wait for it.
// expect: host_race
CASE(event_recorded_but_not_waited_for) {
  Device<int> d(256), out(256);
  Stream first, second;
  Event event;
  count_up<<<1, 256, 0, first>>>(d, 256, 0);  // OTHER
  cudaEventRecord(event, first);
  add_one<<<1, 256, 0, second>>>(d, out, 256);  // HERE
  return finished() && out.host()[255] == 256;
}

// case: table_replaced_while_it_is_read
// Thinks: the second stream's kernel has used the table, so it can be replaced. The first one's may still read it.
// expect: host_race
CASE(table_replaced_while_it_is_read) {
  Device<int> table(counting(128)), a(128), b(128);
  Pinned<int> next(128);
  std::fill(next.begin(), next.end(), 5);
  Stream first, second;
  add_one<<<1, 128, 0, first>>>(table, a, 128);  // OTHER
  add_one<<<1, 128, 0, second>>>(table, b, 128);
  cudaMemcpyAsync(table, next, 128 * sizeof(int), cudaMemcpyHostToDevice, second);  // HERE
  return finished();
}

// case: copied_back_from_another_stream
// Thinks: cudaMemcpy waits for the device. It waits for the streams that block.
// expect: host_race
CASE(copied_back_from_another_stream) {
  Device<int> d(300);
  Stream stream;
  count_up<<<2, 256, 0, stream>>>(d, 300, 0);  // OTHER
  std::vector<int> out(300);
  cudaMemcpy(out.data(), d, 300 * sizeof(int), cudaMemcpyDeviceToHost);  // HERE
  return finished() && out[299] == 299;
}

// case: cleared_on_the_default_stream
// Thinks: cudaMemset has cleared the memory when it returns. It only goes before the streams that block.
// expect: host_race
// says: cudaMemset
CASE(cleared_on_the_default_stream) {
  Device<int> in(counting(512)), count(1);
  Stream stream;
  cudaMemset(count, 0, sizeof(int));                  // OTHER
  count_even<<<2, 256, 0, stream>>>(in, 512, count);  // HERE
  return finished() && count.host()[0] == 256;
}

// case: two_streams_into_one_buffer
// Thinks: each copy is over before the next begins, so one buffer is enough.
// expect: host_race
CASE(two_streams_into_one_buffer) {
  Device<int> a(counting(256)), b(counting(256, 1000)), buffer(256);
  Stream first, second;
  cudaMemcpyAsync(buffer, a, 256 * sizeof(int), cudaMemcpyDeviceToDevice, first);   // OTHER
  cudaMemcpyAsync(buffer, b, 256 * sizeof(int), cudaMemcpyDeviceToDevice, second);  // HERE
  return finished() && buffer.host()[0] == 1000;
}

// case: freed_in_another_stream
// Thinks: cudaFreeAsync waits until nobody uses the memory. It waits for its own stream.
// expect: host_race
// says: cudaFreeAsync
CASE(freed_in_another_stream) {
  Stream first, second;
  int* d = nullptr;
  cudaMallocAsync(&d, 256 * sizeof(int), first);
  count_up<<<1, 256, 0, first>>>(d, 256, 0);  // OTHER
  cudaFreeAsync(d, second);                   // HERE
  return finished();
}

// case: allocated_in_another_stream
// Thinks: the pointer is there, so the memory is. It is there when the first stream has come so far.
// expect: host_race
// says: cudaMallocAsync
CASE(allocated_in_another_stream) {
  Stream first, second;
  int* d = nullptr;
  cudaMallocAsync(&d, 256 * sizeof(int), first);  // OTHER
  count_up<<<1, 256, 0, second>>>(d, 256, 0);     // HERE
  const bool right = finished();
  cudaFreeAsync(d, second);
  return right && finished();
}

// case: registered_memory_read_at_once
// Thinks: this is ordinary memory, so the copy waits. It was pinned by cudaHostRegister.
// expect: host_race
CASE(registered_memory_read_at_once) {
  const int n = 1 << 16;
  Device<int> d(counting(n));
  std::vector<int> out(n);
  cudaHostRegister(out.data(), n * sizeof(int), cudaHostRegisterDefault);
  Stream stream;
  cudaMemcpyAsync(out.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, stream);  // HERE
  long long sum = 0;
  for (int i = 0; i < n; ++i) sum += out[i];  // OTHER
  const bool right = finished() && sum == (n - 1ll) * (n / 2);
  cudaHostUnregister(out.data());
  return right;
}

// case: half_of_the_data_in_time
// Thinks: the copy of the whole array is waited for. The kernel on the other stream changes its end.
// expect: host_race
CASE(half_of_the_data_in_time) {
  Device<int> d(counting(256));
  Pinned<int> out(256);
  Stream first, second;
  cudaMemcpyAsync(out, d, 256 * sizeof(int), cudaMemcpyDeviceToHost, first);  // OTHER
  count_up<<<1, 64, 0, second>>>(d + 192, 64, 0);                             // HERE
  cudaStreamSynchronize(first);
  return finished() && out[255] == 255;
}
