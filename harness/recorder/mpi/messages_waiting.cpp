// MPI's messages that wait, and what asks for them.
#include "harness/recorder/mpi/messages.h"
#include "harness/recorder/mpi/parts.h"
#include "harness/recorder/mpi/requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

namespace {

// Forwards a receive or a probe. Where it takes anything, what it got has to be known, also when
// the program does not ask: `call` is told where to say it.
template <class Forward>
int receive(const MpiCall& what, Word status, Forward call, bool is_there) {
  if (!is_there) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return call(status);
  const Inside inside(thread);
  mpi::Status own;
  const Word told = status == mpi::kStatusIgnore ? as_word(&own) : status;
  const MpiWait wait = begin_wait(what, thread);
  const int result = call(wait.call.wild ? told : status);
  end_wait(wait, thread, result, as_pointer<mpi::Status>(told));
  return result;
}

// A message has been taken aside: no other receive will get it.
void took(Word communicator, const mpi::Status& status) {
  ThreadState& thread = this_thread();
  const std::uint32_t index = mpi_communicator(communicator);
  if (index == gridlock::record::kNone || status.source == mpi::kProcNull) return;
  register_thread(thread);
  got_message(index, thread, status);
}

}  // namespace

GRIDLOCK_INTERPOSE int MPI_Send(Word buffer, Word count, Word type, Word peer, Word tag,
                                Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Send");
  return wait_in_mpi({.call = Call::mpi_send,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Ssend(Word buffer, Word count, Word type, Word peer, Word tag,
                                 Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Ssend");
  return wait_in_mpi({.call = Call::mpi_ssend,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Rsend(Word buffer, Word count, Word type, Word peer, Word tag,
                                 Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Rsend");
  return wait_in_mpi({.call = Call::mpi_send,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Bsend(Word buffer, Word count, Word type, Word peer, Word tag,
                                 Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Bsend");
  return wait_in_mpi({.call = Call::mpi_bsend,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Recv(Word buffer, Word count, Word type, Word peer, Word tag,
                                Word communicator, Word status) {
  static constinit Mpi<7> vendor("PMPI_Recv");
  return receive(
      {.call = Call::mpi_recv,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(elements(count), type),
       .peer = as_int(peer),
       .tag = as_int(tag)},
      status,
      [&](Word told) { return vendor.get()(buffer, count, type, peer, tag, communicator, told); },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Send_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                  Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Send_c");
  return wait_in_mpi({.call = Call::mpi_send,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Ssend_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                   Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Ssend_c");
  return wait_in_mpi({.call = Call::mpi_ssend,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Rsend_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                   Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Rsend_c");
  return wait_in_mpi({.call = Call::mpi_send,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Bsend_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                   Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Bsend_c");
  return wait_in_mpi({.call = Call::mpi_bsend,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type),
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), buffer, count, type, peer, tag, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Recv_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                  Word communicator, Word status) {
  static constinit Mpi<7> vendor("PMPI_Recv_c");
  return receive(
      {.call = Call::mpi_recv,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = mpi_bytes(large(count), type),
       .peer = as_int(peer),
       .tag = as_int(tag)},
      status,
      [&](Word told) { return vendor.get()(buffer, count, type, peer, tag, communicator, told); },
      vendor.get() != nullptr);
}

GRIDLOCK_INTERPOSE int MPI_Probe(Word peer, Word tag, Word communicator, Word status) {
  static constinit Mpi<4> vendor("PMPI_Probe");
  return wait_in_mpi({.call = Call::mpi_probe,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .peer = as_int(peer),
                      .tag = as_int(tag)},
                     vendor.get(), peer, tag, communicator, status);
}

GRIDLOCK_INTERPOSE int MPI_Mprobe(Word peer, Word tag, Word communicator, Word message,
                                  Word status) {
  static constinit Mpi<5> vendor("PMPI_Mprobe");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return vendor.get()(peer, tag, communicator, message, status);
  const Inside inside(thread);
  mpi::Status own;
  const Word told = status == mpi::kStatusIgnore ? as_word(&own) : status;
  const MpiWait wait = begin_wait({.call = Call::mpi_probe,
                                   .frame = __builtin_frame_address(0),
                                   .communicator = communicator,
                                   .peer = as_int(peer),
                                   .tag = as_int(tag)},
                                  thread);
  const int result = vendor.get()(peer, tag, communicator, message, told);
  if (result == mpi::kSuccess) took(communicator, *as_pointer<mpi::Status>(told));
  end_wait(wait, thread, result);
  return result;
}

GRIDLOCK_INTERPOSE int MPI_Improbe(Word peer, Word tag, Word communicator, Word flag, Word message,
                                   Word status) {
  static constinit Mpi<6> vendor("PMPI_Improbe");
  if (vendor.get() == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return vendor.get()(peer, tag, communicator, flag, message, status);
  const Inside inside(thread);
  mpi::Status own;
  const Word told = status == mpi::kStatusIgnore ? as_word(&own) : status;
  const int result = vendor.get()(peer, tag, communicator, flag, message, told);
  if (result == mpi::kSuccess && *as_pointer<int>(flag) != 0) {
    took(communicator, *as_pointer<mpi::Status>(told));
  }
  return result;
}
