// MPI's collectives that are only started.
#include "harness/recorder/mpi/parts.h"
#include "harness/recorder/mpi/requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

GRIDLOCK_INTERPOSE int MPI_Ibarrier(Word communicator, Word request) {
  static constinit Mpi<2> vendor("PMPI_Ibarrier");
  return start_in_mpi({.call = Call::mpi_barrier,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator},
                      request, vendor.get(), communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ibcast(Word buffer, Word count, Word type, Word root, Word communicator,
                                  Word request) {
  static constinit Mpi<6> vendor("PMPI_Ibcast");
  return start_in_mpi({.call = Call::mpi_bcast,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), buffer, count, type, root, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ireduce(Word send, Word receive, Word count, Word type, Word reduction,
                                   Word root, Word communicator, Word request) {
  static constinit Mpi<8> vendor("PMPI_Ireduce");
  return start_in_mpi({.call = Call::mpi_reduce,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), send, receive, count, type, reduction, root,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iallreduce(Word send, Word receive, Word count, Word type,
                                      Word reduction, Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Iallreduce");
  return start_in_mpi({.call = Call::mpi_allreduce,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Igather(Word send, Word sent, Word send_type, Word receive, Word count,
                                   Word type, Word root, Word communicator, Word request) {
  static constinit Mpi<9> vendor("PMPI_Igather");
  return start_in_mpi({.call = Call::mpi_gather,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = at_root(root, communicator) ? mpi_bytes(elements(count), type) : 1,
                       .peer = as_int(root)},
                      request, vendor.get(), send, sent, send_type, receive, count, type, root,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Igatherv(Word send, Word sent, Word send_type, Word receive, Word counts,
                                    Word offsets, Word type, Word root, Word communicator,
                                    Word request) {
  static constinit Mpi<10> vendor("PMPI_Igatherv");
  return start_in_mpi(
      {.call = Call::mpi_gather,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = at_root(root, communicator) ? each_gives<int>(counts, type, communicator) : 1,
       .peer = as_int(root)},
      request, vendor.get(), send, sent, send_type, receive, counts, offsets, type, root,
      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iscatter(Word send, Word sent, Word send_type, Word receive, Word count,
                                    Word type, Word root, Word communicator, Word request) {
  static constinit Mpi<9> vendor("PMPI_Iscatter");
  return start_in_mpi({.call = Call::mpi_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = at_root(root, communicator) ? 1 : mpi_bytes(elements(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), send, sent, send_type, receive, count, type, root,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iscatterv(Word send, Word counts, Word offsets, Word send_type,
                                     Word receive, Word count, Word type, Word root,
                                     Word communicator, Word request) {
  static constinit Mpi<10> vendor("PMPI_Iscatterv");
  return start_in_mpi({.call = Call::mpi_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = at_root(root, communicator) ? 1 : mpi_bytes(elements(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), send, counts, offsets, send_type, receive, count, type,
                      root, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iallgather(Word send, Word sent, Word send_type, Word receive,
                                      Word count, Word type, Word communicator, Word request) {
  static constinit Mpi<8> vendor("PMPI_Iallgather");
  return start_in_mpi({.call = Call::mpi_allgather,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type)},
                      request, vendor.get(), send, sent, send_type, receive, count, type,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iallgatherv(Word send, Word sent, Word send_type, Word receive,
                                       Word counts, Word offsets, Word type, Word communicator,
                                       Word request) {
  static constinit Mpi<9> vendor("PMPI_Iallgatherv");
  return start_in_mpi({.call = Call::mpi_allgather,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = each_gives<int>(counts, type, communicator)},
                      request, vendor.get(), send, sent, send_type, receive, counts, offsets, type,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ialltoall(Word send, Word sent, Word send_type, Word receive, Word count,
                                     Word type, Word communicator, Word request) {
  static constinit Mpi<8> vendor("PMPI_Ialltoall");
  return start_in_mpi({.call = Call::mpi_alltoall,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type)},
                      request, vendor.get(), send, sent, send_type, receive, count, type,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ialltoallv(Word send, Word sent, Word send_offsets, Word send_type,
                                      Word receive, Word counts, Word offsets, Word type,
                                      Word communicator, Word request) {
  static constinit Mpi<10> vendor("PMPI_Ialltoallv");
  return start_in_mpi({.call = Call::mpi_alltoall,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = each_gives<int>(counts, type, communicator)},
                      request, vendor.get(), send, sent, send_offsets, send_type, receive, counts,
                      offsets, type, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ialltoallw(Word send, Word sent, Word send_offsets, Word send_types,
                                      Word receive, Word counts, Word offsets, Word types,
                                      Word communicator, Word request) {
  static constinit Mpi<10> vendor("PMPI_Ialltoallw");
  return start_in_mpi({.call = Call::mpi_alltoall,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator},
                      request, vendor.get(), send, sent, send_offsets, send_types, receive, counts,
                      offsets, types, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ireduce_scatter(Word send, Word receive, Word counts, Word type,
                                           Word reduction, Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Ireduce_scatter");
  return start_in_mpi({.call = Call::mpi_reduce_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = own_part<int>(counts, type, communicator)},
                      request, vendor.get(), send, receive, counts, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Ireduce_scatter_block(Word send, Word receive, Word count, Word type,
                                                 Word reduction, Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Ireduce_scatter_block");
  return start_in_mpi({.call = Call::mpi_reduce_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Iscan(Word send, Word receive, Word count, Word type, Word reduction,
                                 Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Iscan");
  return start_in_mpi({.call = Call::mpi_scan,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Iexscan(Word send, Word receive, Word count, Word type, Word reduction,
                                   Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Iexscan");
  return start_in_mpi({.call = Call::mpi_exscan,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(elements(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}
