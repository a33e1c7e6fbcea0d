// graph_run: does the work of graphs. In: what was instantiated from a graph, and a stream. Out: the same requests to
// the device as the calls of a stream make, in an order that the edges allow. Each branch of a graph is a stream of its
// own for the check of races: two nodes without a path between them have no order.
#pragma once

#include "runtime/api.h"

namespace lockstep::runtime {

// The work of one node (api_launch, api_copy, api_pool).
cudaError_t run(Runtime& runtime, const KernelWork& work, cudaStream_t stream);
cudaError_t run(Runtime& runtime, const CopyWork& work, cudaStream_t stream);
cudaError_t run(Runtime& runtime, const FillWork& work, cudaStream_t stream);
cudaError_t free_on(Runtime& runtime, void* pointer, cudaStream_t stream);

// Runs one launch of the graph. The lock is given back while host nodes run.
cudaError_t run_graph(Runtime& runtime, GraphExec& exec, cudaStream_t stream);

// ---- making the work of nodes (graph_work.cc) ----

// Sets *work from what the program passes. For an allocation, and for a conditional node, sets the outputs in `params`.
cudaError_t make_work(Runtime& runtime, cudaGraphNodeParams& params, NodeWork* work);
// Packs the arguments of a kernel. They are copied: the program may change them at once.
cudaError_t make_kernel(Runtime& runtime, const cudaKernelNodeParams& params, KernelWork* work);
// An allocation node's work, and the memory's address.
cudaError_t make_allocation(Runtime& runtime, uint64_t bytes, void** pointer, NodeWork* work);
// The errors of a copy or a fill that are known before it runs.
cudaError_t check(Runtime& runtime, const CopyWork& work);
cudaError_t check(Runtime& runtime, const FillWork& work);
// The copy of `bytes` bytes as a node keeps it.
CopyWork make_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
// The address of a variable of the program, and whether `bytes` from `offset` on lie in it.
struct SymbolPart {
  const void* variable;
  size_t bytes, offset;
};
cudaError_t find_part(Runtime& runtime, const SymbolPart& part, void** pointer);
// Its address stands in a node's parameters for that of a variable that the program does not have.
inline const char kNoVariable = 0;
// Whether an allocation node has fixed this address: only such memory has free nodes.
bool is_graph_memory(const Runtime& runtime, const void* pointer);
// Whether nodes have this attribute of launches, too (seen on an H200).
bool is_node_attribute(int attribute);
// The kernel keeps the attribute, if it has a meaning in a graph.
void keep_attribute(KernelWork& kernel, int attribute, const cudaLaunchAttributeValue& value);
// What the program gets when it asks for the parameters of a node.
cudaGraphNodeParams params_of(Runtime& runtime, GraphNode& node);

}  // namespace lockstep::runtime
