// The calls that a box records, and what kind each is.
#pragma once

#include <cstdint>
#include <string_view>

namespace gridlock::record {

// Calls that a box records. The order is part of the format: append only.
enum class Call : std::uint8_t {
  none,
  // Collectives and messages: operations on a stream.
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  recv,
  // Other operations that can hold a stream.
  event_wait,     // cudaStreamWaitEvent
  host_function,  // cudaLaunchHostFunc
  graph_launch,
  legacy_work,  // kernel, copy or set on the legacy default stream, which orders other streams
  // Host calls that wait.
  device_synchronize,
  stream_synchronize,
  event_synchronize,
  memcpy_sync,  // cudaMemcpy, and cudaMemcpyAsync of pageable memory
  device_malloc,
  device_free,
  host_malloc,
  comm_init,
  comm_split,
  comm_shrink,
  comm_finalize,
  comm_destroy,
  comm_abort,
  group_end,
  // MPI's collectives, blocking or not. A scan waits for all ranks before it.
  mpi_barrier,
  mpi_bcast,
  mpi_reduce,
  mpi_allreduce,
  mpi_gather,
  mpi_scatter,
  mpi_allgather,
  mpi_alltoall,
  mpi_reduce_scatter,
  mpi_scan,
  mpi_exscan,
  // MPI's messages.
  mpi_send,   // standard and ready mode: it may or may not wait for its receive
  mpi_ssend,  // waits for its receive
  mpi_bsend,  // never waits
  mpi_recv,
  mpi_probe,
  mpi_got,  // what a receive from any source has taken: its peer and tag are now known
  // MPI's host calls that wait.
  mpi_sendrecv,
  mpi_wait,
  mpi_waitall,
  mpi_waitany,
  mpi_init,
  mpi_finalize,
  mpi_comm_dup,
  mpi_comm_split,
  mpi_comm_create,
  mpi_comm_free,
  // Host calls that put a kernel on a stream.
  kernel_launch,
  // Calls that ask whether work has ended (cudaStreamQuery, MPI_Test …), again and again. No entry
  // has it: see Thread::Asked.
  poll,
};
constexpr Call kLastCall = Call::poll;

std::string_view to_string(Call call);

// Operation::result of a call that was only simulated, by ncclGroupSimulateEnd; of a failed CUDA
// call; and of a call captured into a graph, whose launches have operations of their own.
constexpr std::uint8_t kSimulated = 255;
constexpr std::uint8_t kDropped = 254;
constexpr std::uint8_t kCaptured = 253;
std::string_view name_of_result(std::uint8_t result);  // of an ncclResult_t: "ncclInvalidUsage"
// Inline, because every look asks this about every operation.
inline bool is_collective(Call call) {
  return (call >= Call::all_reduce && call <= Call::scatter) ||
         (call >= Call::mpi_barrier && call <= Call::mpi_exscan);
}
inline bool is_message(Call call) {
  return call == Call::send || call == Call::recv ||
         (call >= Call::mpi_send && call <= Call::mpi_got);
}
// Whether a host call puts work on streams, and waits at most until it is there.
inline bool launches_work(Call call) {
  return (call >= Call::all_reduce && call <= Call::legacy_work) || call == Call::group_end ||
         call == Call::kernel_launch;
}
// Whether the call makes memory or gives it back. It can end nobody's wait.
inline bool is_of_memory(Call call) {
  return call == Call::device_malloc || call == Call::device_free || call == Call::host_malloc;
}
inline bool is_mpi(Call call) { return call >= Call::mpi_barrier && call <= Call::mpi_comm_free; }
bool sends(Call call);  // send, mpi_send, mpi_ssend, mpi_bsend
inline bool is_communication(Call call) { return is_collective(call) || is_message(call); }

}  // namespace gridlock::record
