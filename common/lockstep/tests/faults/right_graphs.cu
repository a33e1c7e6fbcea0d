// right_graphs: CUDA graphs whose edges, streams and hosts order all that must be ordered. Nothing must be found.
#include <numeric>

#include "graphs.h"

// case: edges_order_the_nodes
// Looks like two nodes that race. An edge is between them.
// expect: nothing
CASE(edges_order_the_nodes) {
  Device<int> d(256), out(256);
  Graph graph;
  CountUp up{d, 256, 0};
  AddOne more{d, out, 256};
  cudaGraphNode_t first, second;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &up.params);
  cudaGraphAddKernelNode(&second, graph, nullptr, 0, &more.params);
  cudaGraphAddDependencies(graph, &first, &second, nullptr, 1);
  graph.launch(nullptr);
  return finished() && out.host()[255] == 256;
}

// case: a_path_through_others
// Looks like two nodes without an edge. A path leads over an empty node and a child.
// expect: nothing
CASE(a_path_through_others) {
  Device<int> d(64), other(64), out(64);
  Graph graph, inner;
  CountUp up{d, 64, 0}, aside{other, 64, 5};
  AddOne more{d, out, 64};
  cudaGraphNode_t inside, first, empty, child, last;
  cudaGraphAddKernelNode(&inside, inner, nullptr, 0, &aside.params);
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &up.params);
  cudaGraphAddEmptyNode(&empty, graph, &first, 1);
  cudaGraphAddChildGraphNode(&child, graph, &empty, 1, inner);
  cudaGraphAddKernelNode(&last, graph, &child, 1, &more.params);
  graph.launch(nullptr);
  return finished() && out.host()[63] == 64;
}

// case: captured_branches_that_meet
// Looks like two branches that race. Each has its own half, and the events join them.
// expect: nothing
CASE(captured_branches_that_meet) {
  Device<int> d(256), out(256);
  Stream main, side;
  Event fork, join;
  Graph graph(main, [&] {
    cudaEventRecord(fork, main);
    cudaStreamWaitEvent(side, fork, 0);
    count_up<<<1, 128, 0, side>>>(d, 128, 0);
    count_up<<<1, 128, 0, main>>>(d + 128, 128, 128);
    cudaEventRecord(join, side);
    cudaStreamWaitEvent(main, join, 0);
    add_one<<<1, 256, 0, main>>>(d, out, 256);
  });
  for (int i = 0; i < 3; ++i) graph.launch(main);
  return finished() && out.host()[255] == 256;
}

// case: two_launches_in_two_streams
// Looks like two launches that race. What is instantiated runs once at a time: the second launch waits for the first.
// expect: nothing
CASE(two_launches_in_two_streams) {
  Device<int> d(counting(64));
  cudaDeviceSynchronize();
  Stream first, second;
  Graph graph(first, [&] { add_one<<<1, 64, 0, first>>>(d, d, 64); });
  graph.launch(first);
  graph.launch(second);
  return finished() && d.host()[0] == 2;
}

// case: host_node_reads_the_result
// Looks like a host that does not wait. Its function is a node behind the kernel.
// expect: nothing
CASE(host_node_reads_the_result) {
  Pinned<int> out(256);
  Stream stream;
  static int sum;
  sum = 0;
  Graph graph(stream, [&] {
    count_up<<<1, 256, 0, stream>>>(out, 256, 0);
    const auto add = [](void* values) { sum = std::accumulate((int*)values, (int*)values + 256, 0); };
    cudaLaunchHostFunc(stream, add, (int*)out);
  });
  graph.launch(stream);
  return finished() && sum == 255 * 128;
}

// case: event_of_the_graph_is_waited_for
// Looks like a stream that does not wait for the graph. The graph records an event for it.
// expect: nothing
CASE(event_of_the_graph_is_waited_for) {
  Device<int> d(256), out(256);
  Stream stream, other;
  Event done;
  Graph graph(stream, [&] {
    count_up<<<1, 256, 0, stream>>>(d, 256, 0);
    cudaEventRecordWithFlags(done, stream, cudaEventRecordExternal);
  });
  graph.launch(stream);
  cudaStreamWaitEvent(other, done, 0);
  add_one<<<1, 256, 0, other>>>(d, out, 256);
  return finished() && out.host()[255] == 256;
}

// case: memory_of_one_launch
// Looks like memory that is used and never freed. Each launch allocates it and frees it.
// expect: nothing
CASE(memory_of_one_launch) {
  Device<int> out(64);
  Stream stream;
  Graph graph(stream, [&] {
    int* d = nullptr;
    cudaMallocAsync(&d, 64 * sizeof(int), stream);
    count_up<<<1, 64, 0, stream>>>(d, 64, 0);
    add_one<<<1, 64, 0, stream>>>(d, out, 64);
    cudaFreeAsync(d, stream);
  });
  for (int i = 0; i < 3; ++i) graph.launch(stream);
  return finished() && out.host()[63] == 64;
}

// case: graph_never_launched
// Looks like a leak: the graph has memory nodes. Without a launch there is no memory.
// expect: nothing
CASE(graph_never_launched) {
  Stream stream;
  Graph graph(stream, [&] {
    int* d = nullptr;
    cudaMallocAsync(&d, 1 << 20, stream);
  });
  return finished();
}
