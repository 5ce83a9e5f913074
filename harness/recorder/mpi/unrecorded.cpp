// Calls of MPI that send or receive and are not recorded: persistent, partitioned and combined
// requests. Messages on their communicators can then no longer be counted.
#include "harness/recorder/core/communicators.h"
#include "harness/recorder/mpi/mpi.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces

namespace {

template <class Function, class... Arguments>
int forward_uncounted(Word communicator, Function* function, Arguments... arguments) {
  if (function == nullptr) return mpi::kErrOther;
  ThreadState& thread = this_thread();
  if (!records_mpi(thread)) return function(arguments...);
  const Inside inside(thread);
  mark_uncertain(mpi_communicator(communicator));
  return function(arguments...);
}

}  // namespace

GRIDLOCK_INTERPOSE int MPI_Send_init(Word buffer, Word count, Word type, Word peer, Word tag,
                                     Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Send_init");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Bsend_init(Word buffer, Word count, Word type, Word peer, Word tag,
                                      Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Bsend_init");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Ssend_init(Word buffer, Word count, Word type, Word peer, Word tag,
                                      Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Ssend_init");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Rsend_init(Word buffer, Word count, Word type, Word peer, Word tag,
                                      Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Rsend_init");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Recv_init(Word buffer, Word count, Word type, Word peer, Word tag,
                                     Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Recv_init");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Isendrecv(Word send, Word count, Word type, Word peer, Word tag, Word in,
                                     Word room, Word in_type, Word source, Word in_tag,
                                     Word communicator, Word request) {
  static constinit Mpi<12> vendor("PMPI_Isendrecv");
  return forward_uncounted(communicator, vendor.get(), send, count, type, peer, tag, in, room,
                           in_type, source, in_tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Isendrecv_replace(Word buffer, Word count, Word type, Word peer,
                                             Word tag, Word source, Word in_tag, Word communicator,
                                             Word request) {
  static constinit Mpi<9> vendor("PMPI_Isendrecv_replace");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, source,
                           in_tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Send_init_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                       Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Send_init_c");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Bsend_init_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                        Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Bsend_init_c");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Ssend_init_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                        Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Ssend_init_c");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Rsend_init_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                        Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Rsend_init_c");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Recv_init_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                       Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Recv_init_c");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, communicator,
                           request);
}

GRIDLOCK_INTERPOSE int MPI_Isendrecv_c(Word send, Word count, Word type, Word peer, Word tag,
                                       Word in, Word room, Word in_type, Word source, Word in_tag,
                                       Word communicator, Word request) {
  static constinit Mpi<12> vendor("PMPI_Isendrecv_c");
  return forward_uncounted(communicator, vendor.get(), send, count, type, peer, tag, in, room,
                           in_type, source, in_tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Isendrecv_replace_c(Word buffer, Word count, Word type, Word peer,
                                               Word tag, Word source, Word in_tag,
                                               Word communicator, Word request) {
  static constinit Mpi<9> vendor("PMPI_Isendrecv_replace_c");
  return forward_uncounted(communicator, vendor.get(), buffer, count, type, peer, tag, source,
                           in_tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Psend_init(Word buffer, Word partitions, Word count, Word type,
                                      Word peer, Word tag, Word communicator, Word info,
                                      Word request) {
  static constinit Mpi<9> vendor("PMPI_Psend_init");
  return forward_uncounted(communicator, vendor.get(), buffer, partitions, count, type, peer, tag,
                           communicator, info, request);
}

GRIDLOCK_INTERPOSE int MPI_Precv_init(Word buffer, Word partitions, Word count, Word type,
                                      Word peer, Word tag, Word communicator, Word info,
                                      Word request) {
  static constinit Mpi<9> vendor("PMPI_Precv_init");
  return forward_uncounted(communicator, vendor.get(), buffer, partitions, count, type, peer, tag,
                           communicator, info, request);
}
