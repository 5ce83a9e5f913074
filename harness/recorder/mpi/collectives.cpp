// MPI's collectives that wait.
#include "harness/recorder/mpi/mpi.h"
#include "harness/recorder/mpi/parts.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

GRIDLOCK_INTERPOSE int MPI_Barrier(Word communicator) {
  static constinit Mpi<1> vendor("PMPI_Barrier");
  return wait_in_mpi({.call = Call::mpi_barrier,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator},
                     vendor.get(), communicator);
}

GRIDLOCK_INTERPOSE int MPI_Bcast(Word buffer, Word count, Word type, Word root, Word communicator) {
  static constinit Mpi<5> vendor("PMPI_Bcast");
  return wait_in_mpi({.call = Call::mpi_bcast,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type),
                      .peer = as_int(root)},
                     vendor.get(), buffer, count, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Reduce(Word send, Word receive, Word count, Word type, Word reduction,
                                  Word root, Word communicator) {
  static constinit Mpi<7> vendor("PMPI_Reduce");
  return wait_in_mpi({.call = Call::mpi_reduce,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type),
                      .peer = as_int(root)},
                     vendor.get(), send, receive, count, type, reduction, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Allreduce(Word send, Word receive, Word count, Word type, Word reduction,
                                     Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Allreduce");
  return wait_in_mpi({.call = Call::mpi_allreduce,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Gather(Word send, Word sent, Word send_type, Word receive, Word count,
                                  Word type, Word root, Word communicator) {
  static constinit Mpi<8> vendor("PMPI_Gather");
  return wait_in_mpi({.call = Call::mpi_gather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = at_root(root, communicator) ? mpi_bytes(elements(count), type) : 1,
                      .peer = as_int(root)},
                     vendor.get(), send, sent, send_type, receive, count, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Gatherv(Word send, Word sent, Word send_type, Word receive, Word counts,
                                   Word offsets, Word type, Word root, Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Gatherv");
  return wait_in_mpi(
      {.call = Call::mpi_gather,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes = at_root(root, communicator) ? each_gives<int>(counts, type, communicator) : 1,
       .peer = as_int(root)},
      vendor.get(), send, sent, send_type, receive, counts, offsets, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Scatter(Word send, Word sent, Word send_type, Word receive, Word count,
                                   Word type, Word root, Word communicator) {
  static constinit Mpi<8> vendor("PMPI_Scatter");
  return wait_in_mpi({.call = Call::mpi_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = at_root(root, communicator) ? 1 : mpi_bytes(elements(count), type),
                      .peer = as_int(root)},
                     vendor.get(), send, sent, send_type, receive, count, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Scatterv(Word send, Word counts, Word offsets, Word send_type,
                                    Word receive, Word count, Word type, Word root,
                                    Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Scatterv");
  return wait_in_mpi({.call = Call::mpi_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = at_root(root, communicator) ? 1 : mpi_bytes(elements(count), type),
                      .peer = as_int(root)},
                     vendor.get(), send, counts, offsets, send_type, receive, count, type, root,
                     communicator);
}

GRIDLOCK_INTERPOSE int MPI_Allgather(Word send, Word sent, Word send_type, Word receive, Word count,
                                     Word type, Word communicator) {
  static constinit Mpi<7> vendor("PMPI_Allgather");
  return wait_in_mpi({.call = Call::mpi_allgather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type)},
                     vendor.get(), send, sent, send_type, receive, count, type, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Allgatherv(Word send, Word sent, Word send_type, Word receive,
                                      Word counts, Word offsets, Word type, Word communicator) {
  static constinit Mpi<8> vendor("PMPI_Allgatherv");
  return wait_in_mpi({.call = Call::mpi_allgather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = each_gives<int>(counts, type, communicator)},
                     vendor.get(), send, sent, send_type, receive, counts, offsets, type,
                     communicator);
}

GRIDLOCK_INTERPOSE int MPI_Alltoall(Word send, Word sent, Word send_type, Word receive, Word count,
                                    Word type, Word communicator) {
  static constinit Mpi<7> vendor("PMPI_Alltoall");
  return wait_in_mpi({.call = Call::mpi_alltoall,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type)},
                     vendor.get(), send, sent, send_type, receive, count, type, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Alltoallv(Word send, Word sent, Word send_offsets, Word send_type,
                                     Word receive, Word counts, Word offsets, Word type,
                                     Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Alltoallv");
  return wait_in_mpi({.call = Call::mpi_alltoall,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = each_gives<int>(counts, type, communicator)},
                     vendor.get(), send, sent, send_offsets, send_type, receive, counts, offsets,
                     type, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Alltoallw(Word send, Word sent, Word send_offsets, Word send_types,
                                     Word receive, Word counts, Word offsets, Word types,
                                     Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Alltoallw");
  return wait_in_mpi({.call = Call::mpi_alltoall,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator},
                     vendor.get(), send, sent, send_offsets, send_types, receive, counts, offsets,
                     types, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Reduce_scatter(Word send, Word receive, Word counts, Word type,
                                          Word reduction, Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Reduce_scatter");
  return wait_in_mpi({.call = Call::mpi_reduce_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = own_part<int>(counts, type, communicator)},
                     vendor.get(), send, receive, counts, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Reduce_scatter_block(Word send, Word receive, Word count, Word type,
                                                Word reduction, Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Reduce_scatter_block");
  return wait_in_mpi({.call = Call::mpi_reduce_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Scan(Word send, Word receive, Word count, Word type, Word reduction,
                                Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Scan");
  return wait_in_mpi({.call = Call::mpi_scan,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Exscan(Word send, Word receive, Word count, Word type, Word reduction,
                                  Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Exscan");
  return wait_in_mpi({.call = Call::mpi_exscan,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(elements(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}
