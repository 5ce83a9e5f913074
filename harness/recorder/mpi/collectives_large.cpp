// The same with counts of 64 bits.
#include "harness/recorder/mpi/mpi.h"
#include "harness/recorder/mpi/parts.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

GRIDLOCK_INTERPOSE int MPI_Bcast_c(Word buffer, Word count, Word type, Word root,
                                   Word communicator) {
  static constinit Mpi<5> vendor("PMPI_Bcast_c");
  return wait_in_mpi({.call = Call::mpi_bcast,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type),
                      .peer = as_int(root)},
                     vendor.get(), buffer, count, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Reduce_c(Word send, Word receive, Word count, Word type, Word reduction,
                                    Word root, Word communicator) {
  static constinit Mpi<7> vendor("PMPI_Reduce_c");
  return wait_in_mpi({.call = Call::mpi_reduce,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type),
                      .peer = as_int(root)},
                     vendor.get(), send, receive, count, type, reduction, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Allreduce_c(Word send, Word receive, Word count, Word type,
                                       Word reduction, Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Allreduce_c");
  return wait_in_mpi({.call = Call::mpi_allreduce,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Gather_c(Word send, Word sent, Word send_type, Word receive, Word count,
                                    Word type, Word root, Word communicator) {
  static constinit Mpi<8> vendor("PMPI_Gather_c");
  return wait_in_mpi({.call = Call::mpi_gather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = at_root(root, communicator) ? mpi_bytes(large(count), type) : 1,
                      .peer = as_int(root)},
                     vendor.get(), send, sent, send_type, receive, count, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Gatherv_c(Word send, Word sent, Word send_type, Word receive,
                                     Word counts, Word offsets, Word type, Word root,
                                     Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Gatherv_c");
  return wait_in_mpi(
      {.call = Call::mpi_gather,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes =
           at_root(root, communicator) ? each_gives<std::int64_t>(counts, type, communicator) : 1,
       .peer = as_int(root)},
      vendor.get(), send, sent, send_type, receive, counts, offsets, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Scatter_c(Word send, Word sent, Word send_type, Word receive, Word count,
                                     Word type, Word root, Word communicator) {
  static constinit Mpi<8> vendor("PMPI_Scatter_c");
  return wait_in_mpi({.call = Call::mpi_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = at_root(root, communicator) ? 1 : mpi_bytes(large(count), type),
                      .peer = as_int(root)},
                     vendor.get(), send, sent, send_type, receive, count, type, root, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Scatterv_c(Word send, Word counts, Word offsets, Word send_type,
                                      Word receive, Word count, Word type, Word root,
                                      Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Scatterv_c");
  return wait_in_mpi({.call = Call::mpi_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = at_root(root, communicator) ? 1 : mpi_bytes(large(count), type),
                      .peer = as_int(root)},
                     vendor.get(), send, counts, offsets, send_type, receive, count, type, root,
                     communicator);
}

GRIDLOCK_INTERPOSE int MPI_Allgather_c(Word send, Word sent, Word send_type, Word receive,
                                       Word count, Word type, Word communicator) {
  static constinit Mpi<7> vendor("PMPI_Allgather_c");
  return wait_in_mpi({.call = Call::mpi_allgather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type)},
                     vendor.get(), send, sent, send_type, receive, count, type, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Allgatherv_c(Word send, Word sent, Word send_type, Word receive,
                                        Word counts, Word offsets, Word type, Word communicator) {
  static constinit Mpi<8> vendor("PMPI_Allgatherv_c");
  return wait_in_mpi({.call = Call::mpi_allgather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = each_gives<std::int64_t>(counts, type, communicator)},
                     vendor.get(), send, sent, send_type, receive, counts, offsets, type,
                     communicator);
}

GRIDLOCK_INTERPOSE int MPI_Alltoall_c(Word send, Word sent, Word send_type, Word receive,
                                      Word count, Word type, Word communicator) {
  static constinit Mpi<7> vendor("PMPI_Alltoall_c");
  return wait_in_mpi({.call = Call::mpi_alltoall,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type)},
                     vendor.get(), send, sent, send_type, receive, count, type, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Alltoallv_c(Word send, Word sent, Word send_offsets, Word send_type,
                                       Word receive, Word counts, Word offsets, Word type,
                                       Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Alltoallv_c");
  return wait_in_mpi({.call = Call::mpi_alltoall,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = each_gives<std::int64_t>(counts, type, communicator)},
                     vendor.get(), send, sent, send_offsets, send_type, receive, counts, offsets,
                     type, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Alltoallw_c(Word send, Word sent, Word send_offsets, Word send_types,
                                       Word receive, Word counts, Word offsets, Word types,
                                       Word communicator) {
  static constinit Mpi<9> vendor("PMPI_Alltoallw_c");
  return wait_in_mpi({.call = Call::mpi_alltoall,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator},
                     vendor.get(), send, sent, send_offsets, send_types, receive, counts, offsets,
                     types, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Reduce_scatter_c(Word send, Word receive, Word counts, Word type,
                                            Word reduction, Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Reduce_scatter_c");
  return wait_in_mpi({.call = Call::mpi_reduce_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = own_part<std::int64_t>(counts, type, communicator)},
                     vendor.get(), send, receive, counts, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Reduce_scatter_block_c(Word send, Word receive, Word count, Word type,
                                                  Word reduction, Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Reduce_scatter_block_c");
  return wait_in_mpi({.call = Call::mpi_reduce_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Scan_c(Word send, Word receive, Word count, Word type, Word reduction,
                                  Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Scan_c");
  return wait_in_mpi({.call = Call::mpi_scan,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}

GRIDLOCK_INTERPOSE int MPI_Exscan_c(Word send, Word receive, Word count, Word type, Word reduction,
                                    Word communicator) {
  static constinit Mpi<6> vendor("PMPI_Exscan_c");
  return wait_in_mpi({.call = Call::mpi_exscan,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .bytes = mpi_bytes(large(count), type)},
                     vendor.get(), send, receive, count, type, reduction, communicator);
}
