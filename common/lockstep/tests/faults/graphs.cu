// graphs: mistakes in CUDA graphs: edges that are missing, a host or a stream that does not wait for the launch, and
// the usual mistakes of kernels, which a graph's kernels make as well.
#include "graphs.h"

// case: two_nodes_without_an_edge
// Thinks: nodes run in the order in which they are added. Only edges order them.
// expect: host_race
// says: cudaGraphAddDependencies
CASE(two_nodes_without_an_edge) {
  Device<int> d(256), out(256);
  Graph graph;
  CountUp up{d, 256, 0};
  AddOne more{d, out, 256};
  cudaGraphNode_t first, second;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &up.params);     // OTHER
  cudaGraphAddKernelNode(&second, graph, nullptr, 0, &more.params);  // HERE
  graph.launch(nullptr);
  return finished() && out.host()[255] == 256;
}

// case: sibling_of_the_writer
// Thinks: both nodes depend on the first, so they are in order. They are siblings.
// expect: host_race
CASE(sibling_of_the_writer) {
  Device<int> a(128), b(128), c(128);
  Graph graph;
  CountUp up{a, 128, 0};
  AddOne to_b{a, b, 128}, to_c{b, c, 128};
  cudaGraphNode_t first, second, third;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &up.params);
  cudaGraphAddKernelNode(&second, graph, &first, 1, &to_b.params);  // OTHER
  cudaGraphAddKernelNode(&third, graph, &first, 1, &to_c.params);   // HERE
  graph.launch(nullptr);
  return finished() && c.host()[127] == 129;
}

// case: captured_branch_not_joined_in_time
// Thinks: the kernels are captured in order, so they run in order. The join comes behind the kernel that needs it.
// expect: host_race
// says: another branch of the graph
CASE(captured_branch_not_joined_in_time) {
  Device<int> d(256), out(256);
  Stream main, side;
  Event fork, join;
  Graph graph(main, [&] {
    cudaEventRecord(fork, main);
    cudaStreamWaitEvent(side, fork, 0);
    count_up<<<1, 256, 0, side>>>(d, 256, 0);   // OTHER
    add_one<<<1, 256, 0, main>>>(d, out, 256);  // HERE
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(main, join, 0);
  });
  graph.launch(main);
  return finished() && out.host()[255] == 256;
}

// case: fill_and_kernel_in_two_branches
// Thinks: a memset is so short that it comes first. Nothing says so.
// expect: host_race
CASE(fill_and_kernel_in_two_branches) {
  Device<int> d(256);
  Graph graph;
  cudaMemsetParams zeros{d, 0, 0, 4, 256, 1};
  CountUp up{d, 256, 0};
  cudaGraphNode_t first, second;
  cudaGraphAddMemsetNode(&first, graph, nullptr, 0, &zeros);       // OTHER
  cudaGraphAddKernelNode(&second, graph, nullptr, 0, &up.params);  // HERE
  graph.launch(nullptr);
  return finished() && d.host()[255] == 255;
}

// case: graph_not_waited_for
// Thinks: the graph has run when cudaGraphLaunch returns. It has begun.
// expect: host_race
// says: cudaStreamSynchronize
CASE(graph_not_waited_for) {
  Pinned<int> out(256);
  Stream stream;
  Graph graph(stream, [&] {
    count_up<<<1, 256, 0, stream>>>(out, 256, 0);  // HERE
  });
  graph.launch(stream);
  const int last = out[255];  // OTHER
  return finished() && last == 255;
}

// case: graph_and_another_stream
// Thinks: the graph was launched first. The other stream does not know of it.
// expect: host_race
// says: cudaStreamWaitEvent
CASE(graph_and_another_stream) {
  Device<int> d(256), out(256);
  Stream stream, other;
  Graph graph(stream, [&] {
    count_up<<<1, 256, 0, stream>>>(d, 256, 0);  // OTHER
  });
  graph.launch(stream);
  add_one<<<1, 256, 0, other>>>(d, out, 256);  // HERE
  return finished() && out.host()[255] == 256;
}

// case: graph_reads_outside
// Thinks: the captured kernel sees the array of today. It keeps the pointer and the length that it was given.
// expect: out_of_bounds
CASE(graph_reads_outside) {
  Device<int> in(counting(100)), out(256);
  Stream stream;
  Graph graph(stream, [&] { add_one<<<1, 256, 0, stream>>>(in, out, 101); });
  graph.launch(stream);
  return finished();
}

// case: graph_memory_used_after_its_node
// Thinks: the address of the node's memory is fixed, so the memory is there. The free node ends it.
// expect: use_after_free
CASE(graph_memory_used_after_its_node) {
  Device<int> out(64);
  cudaMemAllocNodeParams memory = allocation(64 * sizeof(int));
  Graph graph;
  cudaGraphNode_t allocate, write, release;
  cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory);
  CountUp up{(int*)memory.dptr, 64, 0};
  cudaGraphAddKernelNode(&write, graph, &allocate, 1, &up.params);
  cudaGraphAddMemFreeNode(&release, graph, &write, 1, memory.dptr);
  graph.launch(nullptr);
  add_one<<<1, 64>>>((int*)memory.dptr, out, 64);
  return finished();
}

// case: graph_memory_read_before_it_is_written
// Thinks: the second launch finds the values of the first. The memory is allocated anew.
// expect: uninitialised_read
CASE(graph_memory_read_before_it_is_written) {
  Device<int> out(64);
  cudaMemAllocNodeParams memory = allocation(64 * sizeof(int));
  Graph graph;
  cudaGraphNode_t allocate, read, release;
  cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory);
  AddOne more{(int*)memory.dptr, out, 64};
  cudaGraphAddKernelNode(&read, graph, &allocate, 1, &more.params);
  cudaGraphAddMemFreeNode(&release, graph, &read, 1, memory.dptr);
  graph.launch(nullptr);
  return finished();
}

// case: graph_memory_never_freed
// Thinks: the memory goes with its graph. Without a free node it stays.
// expect: leak
CASE(graph_memory_never_freed) {
  cudaMemAllocNodeParams memory = allocation(64 * sizeof(int));
  Graph graph;
  cudaGraphNode_t allocate;
  cudaGraphAddMemAllocNode(&allocate, graph, nullptr, 0, &memory);
  graph.launch(nullptr);
  return finished();
}
