// Sending and receiving in one call: two requests that the call itself waits for.
#include "harness/recorder/mpi/parts.h"
#include "harness/recorder/mpi/requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

namespace {

template <class Forward>
int exchange(const MpiCall& send, const MpiCall& receive, Word status, Forward call,
             bool is_there) {
  if (!is_there) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return call(status);
  const Inside inside(thread);
  mpi::Status own;
  const Word told = status == mpi::kStatusIgnore ? as_word(&own) : status;
  Requests requests;
  const std::uint32_t placed[] = {place_request(send, thread), place_request(receive, thread)};
  for (const std::uint32_t index : placed) {
    if (index != gridlock::record::kNone) {
      requests.known[index / 64] |= std::uint64_t{1} << (index % 64);
    }
  }
  enter_wait_for(requests, Call::mpi_sendrecv, gridlock::record::Waits::all_requests, thread,
                 send.frame);
  const int result = call(is_wild(requests) ? told : status);
  for (const std::uint32_t index : placed) {
    finish_request(index, thread, result, as_pointer<mpi::Status>(told));
  }
  leave_wait(thread);
  return result;
}

}  // namespace

GRIDLOCK_INTERPOSE int MPI_Sendrecv(Word send, Word count, Word type, Word peer, Word tag, Word in,
                                    Word room, Word in_type, Word source, Word in_tag,
                                    Word communicator, Word status) {
  static constinit Mpi<12> vendor("PMPI_Sendrecv");
  return exchange(
      {.call = Call::mpi_send,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(elements(count), type),
       .peer = as_int(peer),
       .tag = as_int(tag)},
      {.call = Call::mpi_recv,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(elements(room), in_type),
       .peer = as_int(source),
       .tag = as_int(in_tag)},
      status,
      [&](Word told) {
        return vendor.get()(send, count, type, peer, tag, in, room, in_type, source, in_tag,
                            communicator, told);
      },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Sendrecv_replace(Word buffer, Word count, Word type, Word peer, Word tag,
                                            Word source, Word in_tag, Word communicator,
                                            Word status) {
  static constinit Mpi<9> vendor("PMPI_Sendrecv_replace");
  return exchange(
      {.call = Call::mpi_send,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(elements(count), type),
       .peer = as_int(peer),
       .tag = as_int(tag)},
      {.call = Call::mpi_recv,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(elements(count), type),
       .peer = as_int(source),
       .tag = as_int(in_tag)},
      status,
      [&](Word told) {
        return vendor.get()(buffer, count, type, peer, tag, source, in_tag, communicator, told);
      },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Sendrecv_c(Word send, Word count, Word type, Word peer, Word tag,
                                      Word in, Word room, Word in_type, Word source, Word in_tag,
                                      Word communicator, Word status) {
  static constinit Mpi<12> vendor("PMPI_Sendrecv_c");
  return exchange(
      {.call = Call::mpi_send,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(large(count), type),
       .peer = as_int(peer),
       .tag = as_int(tag)},
      {.call = Call::mpi_recv,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(large(room), in_type),
       .peer = as_int(source),
       .tag = as_int(in_tag)},
      status,
      [&](Word told) {
        return vendor.get()(send, count, type, peer, tag, in, room, in_type, source, in_tag,
                            communicator, told);
      },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Sendrecv_replace_c(Word buffer, Word count, Word type, Word peer,
                                              Word tag, Word source, Word in_tag, Word communicator,
                                              Word status) {
  static constinit Mpi<9> vendor("PMPI_Sendrecv_replace_c");
  return exchange(
      {.call = Call::mpi_send,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(large(count), type),
       .peer = as_int(peer),
       .tag = as_int(tag)},
      {.call = Call::mpi_recv,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(large(count), type),
       .peer = as_int(source),
       .tag = as_int(in_tag)},
      status,
      [&](Word told) {
        return vendor.get()(buffer, count, type, peer, tag, source, in_tag, communicator, told);
      },
      vendor.get() != nullptr);
}
