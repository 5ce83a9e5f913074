// MPI's messages that are only started.
#include "harness/recorder/mpi/parts.h"
#include "harness/recorder/mpi/requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

GRIDLOCK_INTERPOSE int MPI_Isend(Word buffer, Word count, Word type, Word peer, Word tag,
                                 Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Isend");
  return start_in_mpi({.call = Call::mpi_send,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Issend(Word buffer, Word count, Word type, Word peer, Word tag,
                                  Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Issend");
  return start_in_mpi({.call = Call::mpi_ssend,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Irsend(Word buffer, Word count, Word type, Word peer, Word tag,
                                  Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Irsend");
  return start_in_mpi({.call = Call::mpi_send,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ibsend(Word buffer, Word count, Word type, Word peer, Word tag,
                                  Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Ibsend");
  return start_in_mpi({.call = Call::mpi_bsend,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Irecv(Word buffer, Word count, Word type, Word peer, Word tag,
                                 Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Irecv");
  return start_in_mpi({.call = Call::mpi_recv,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Isend_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                   Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Isend_c");
  return start_in_mpi({.call = Call::mpi_send,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Issend_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                    Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Issend_c");
  return start_in_mpi({.call = Call::mpi_ssend,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Irsend_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                    Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Irsend_c");
  return start_in_mpi({.call = Call::mpi_send,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ibsend_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                    Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Ibsend_c");
  return start_in_mpi({.call = Call::mpi_bsend,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Irecv_c(Word buffer, Word count, Word type, Word peer, Word tag,
                                   Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Irecv_c");
  return start_in_mpi({.call = Call::mpi_recv,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type),
                       .peer = as_int(peer),
                       .tag = as_int(tag)},
                      request, vendor.get(), buffer, count, type, peer, tag, communicator, request);
}
