// One table for NCCL and CUDA, one for MPI.
#include "tests/fuzz/paper/calls.h"

namespace gridlock::fuzz {

using record::Call;

Call recorded_call(const Instruction& call) {
  switch (call.op) {
    case Op::all_gather:
      return Call::all_gather;
    case Op::reduce_scatter:
      return Call::reduce_scatter;
    case Op::broadcast:
      return Call::broadcast;
    case Op::reduce:
      return Call::reduce;
    case Op::send:
      return Call::send;
    case Op::recv:
      return Call::recv;
    case Op::wait_event:
      return Call::event_wait;
    case Op::sync_event:
      return Call::event_synchronize;
    case Op::sync_stream:
      return Call::stream_synchronize;
    case Op::copy:
      return Call::memcpy_sync;
    case Op::free:
      return Call::device_free;
    case Op::split:
      return Call::comm_split;
    case Op::destroy:
      return Call::comm_destroy;
    case Op::drop:
      return Call::comm_abort;
    case Op::all_reduce:
    case Op::refused:
      return Call::all_reduce;
    default:
      return Call::device_synchronize;
  }
}

Call as_mpi(Call call) {
  if (call == Call::send) return Call::mpi_send;
  return call == Call::recv ? Call::mpi_recv : Call::mpi_allreduce;
}

}  // namespace gridlock::fuzz
