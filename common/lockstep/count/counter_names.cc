#include "count/counter_names.h"

namespace lockstep {
namespace {

constexpr CounterKind kExact = CounterKind::kExact, kPtxLevel = CounterKind::kPtxLevel,
                      kModelled = CounterKind::kModelled;

constexpr CounterName kCounters[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global load requests, one a warp", kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global load sectors of 32 bytes", kExact},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global store requests, one a warp", kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global store sectors of 32 bytes", kExact},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "global reduction requests, one a warp", kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "global reduction sectors of 32 bytes", kExact},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "global atomic requests, one a warp", kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "global atomic sectors of 32 bytes", kExact},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "local load requests, one a warp", kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "local load sectors of 32 bytes", kExact},
    {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "local store requests, one a warp", kExact},
    {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "local store sectors of 32 bytes", kExact},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "wavefronts of shared loads: one for each turn of the 32 banks", kExact},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "wavefronts of shared stores: one for each turn of the 32 banks", kExact},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
     "wavefronts of shared atomics: one for each turn of the 32 banks", kExact},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "bank conflicts of shared loads", kExact},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "bank conflicts of shared stores", kExact},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum", "bank conflicts of shared atomics", kExact},
    {"global_atomics", "atomic operations in global memory, one a thread", kExact},
    {"shared_atomics", "atomic operations in shared memory, one a thread", kExact},
    {"shared_wavefronts", "wavefronts of all shared accesses: one for each turn of the 32 banks", kExact},
    {"shared_excess_wavefronts", "wavefronts of shared accesses that only bank conflicts cause", kExact},
    {"shared_bytes_loaded", "bytes that lanes load from shared memory, also by atomics", kExact},
    {"shared_bytes_stored", "bytes that lanes store to shared memory, also by atomics", kExact},
    {"global_bytes_loaded", "bytes of sectors that loads, atomics and asynchronous copies take from global memory",
     kExact},
    {"global_bytes_stored", "bytes of sectors that stores, atomics and asynchronous copies write to global memory",
     kExact},
    {"async_bytes_loaded", "bytes that asynchronous copies load from global memory", kExact},
    {"async_bytes_stored", "bytes that asynchronous copies store to global memory", kExact},
    {"barriers", "block barriers completed", kExact},
    {"block_waits", "waits of warps for other warps, one after the other, in the block that waits most", kExact},
    {"thread_waits", "waits of warps for other warps of their block, for every block, times its threads", kExact},
    {"launches", "launches of a kernel", kExact},
    {"threads", "threads launched", kExact},
    {"host_synchronisations", "calls that made the host wait for the device, since the launch before", kExact},
    {"host_allocations", "allocations by the host since the launch before", kExact},
    {"host_bytes_fetched", "bytes that copies brought to the host since the launch before", kExact},
    {"host_bytes_given", "bytes that copies brought from the host since the launch before", kExact},
    {"host_bytes_stored", "bytes stored to memory that the host reads in place", kExact},
    {"host_bytes_loaded", "bytes loaded from memory that the host writes in place", kExact},
    {"smsp__inst_executed.sum", "warp instructions", kPtxLevel},
    {"smsp__thread_inst_executed.sum", "thread instructions", kPtxLevel},
    {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "additions of floats, one a thread", kPtxLevel},
    {"smsp__sass_branch_targets.sum", "branches, one a warp", kPtxLevel},
    {"smsp__sass_branch_targets_threads_divergent.sum", "branches at which the lanes of a warp went different ways",
     kPtxLevel},
    {"barrier_instructions", "barrier instructions, one a warp", kPtxLevel},
    {"loop_branches",
     "branches and recursive calls to an earlier instruction, one a warp: a turn of a loop ends in one", kPtxLevel},
    {"block_branches", "branches, one a warp, of the block that makes most", kPtxLevel},
    {"idle_lanes", "lanes that are idle while their warp executes an instruction", kPtxLevel},
    {"float_additions", "additions of floats, one a thread: add, sub, fma, atomics", kPtxLevel},
    {"memory_waits", "waits of a warp for global memory; loads that are under way together are one wait", kModelled},
};

constexpr CounterName kRatios[] = {
    {"smsp__thread_inst_executed_per_inst_executed.ratio", "active lanes per warp instruction", kPtxLevel},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
     "sectors of 32 bytes per global load of a warp", kExact},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
     "sectors of 32 bytes per global store of a warp", kExact},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_ld.ratio",
     "sectors of 32 bytes per local load of a warp", kExact},
    {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_st.ratio",
     "sectors of 32 bytes per local store of a warp", kExact},
    {"barriers_per_block", "block barriers per block", kExact},
};

constexpr CounterName kOccupancy[] = {
    {"launch__shared_mem_per_block_static", "bytes of shared memory declared", kExact},
    {"launch__shared_mem_per_block_dynamic", "bytes of shared memory asked for at the launch", kExact},
    {"launch__registers_per_thread", "registers that a thread gets", kExact},
    {"launch__occupancy_limit_blocks", "blocks that a multiprocessor holds at most", kExact},
    {"launch__occupancy_limit_warps", "blocks that its threads allow", kExact},
    {"launch__occupancy_limit_registers", "blocks that its registers allow", kExact},
    {"blocks_by_shared_memory", "blocks that shared memory allows, if the card gives it all it can", kExact},
    {"blocks_per_multiprocessor",
     "blocks that a multiprocessor holds at once; without ptxas, registers may allow fewer", kPtxLevel},
};

}  // namespace

const char* to_text(CounterKind kind) {
  switch (kind) {
    case CounterKind::kExact: return "exact";
    case CounterKind::kPtxLevel: return "ptx-level";
    case CounterKind::kModelled: return "modelled";
  }
  return "";
}

std::span<const CounterName> counter_names() { return kCounters; }
std::span<const CounterName> ratio_names() { return kRatios; }
std::span<const CounterName> occupancy_names() { return kOccupancy; }

}  // namespace lockstep
