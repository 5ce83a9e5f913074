// The same with counts of 64 bits.
#include "harness/recorder/mpi/parts.h"
#include "harness/recorder/mpi/requests.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

GRIDLOCK_INTERPOSE int MPI_Ibcast_c(Word buffer, Word count, Word type, Word root,
                                    Word communicator, Word request) {
  static constinit Mpi<6> vendor("PMPI_Ibcast_c");
  return start_in_mpi({.call = Call::mpi_bcast,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), buffer, count, type, root, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ireduce_c(Word send, Word receive, Word count, Word type, Word reduction,
                                     Word root, Word communicator, Word request) {
  static constinit Mpi<8> vendor("PMPI_Ireduce_c");
  return start_in_mpi({.call = Call::mpi_reduce,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), send, receive, count, type, reduction, root,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iallreduce_c(Word send, Word receive, Word count, Word type,
                                        Word reduction, Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Iallreduce_c");
  return start_in_mpi({.call = Call::mpi_allreduce,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Igather_c(Word send, Word sent, Word send_type, Word receive, Word count,
                                     Word type, Word root, Word communicator, Word request) {
  static constinit Mpi<9> vendor("PMPI_Igather_c");
  return start_in_mpi({.call = Call::mpi_gather,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = at_root(root, communicator) ? mpi_bytes(large(count), type) : 1,
                       .peer = as_int(root)},
                      request, vendor.get(), send, sent, send_type, receive, count, type, root,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Igatherv_c(Word send, Word sent, Word send_type, Word receive,
                                      Word counts, Word offsets, Word type, Word root,
                                      Word communicator, Word request) {
  static constinit Mpi<10> vendor("PMPI_Igatherv_c");
  return start_in_mpi(
      {.call = Call::mpi_gather,
       .frame = __builtin_frame_address(0),
       .communicator = communicator,
       .bytes =
           at_root(root, communicator) ? each_gives<std::int64_t>(counts, type, communicator) : 1,
       .peer = as_int(root)},
      request, vendor.get(), send, sent, send_type, receive, counts, offsets, type, root,
      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iscatter_c(Word send, Word sent, Word send_type, Word receive,
                                      Word count, Word type, Word root, Word communicator,
                                      Word request) {
  static constinit Mpi<9> vendor("PMPI_Iscatter_c");
  return start_in_mpi({.call = Call::mpi_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = at_root(root, communicator) ? 1 : mpi_bytes(large(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), send, sent, send_type, receive, count, type, root,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iscatterv_c(Word send, Word counts, Word offsets, Word send_type,
                                       Word receive, Word count, Word type, Word root,
                                       Word communicator, Word request) {
  static constinit Mpi<10> vendor("PMPI_Iscatterv_c");
  return start_in_mpi({.call = Call::mpi_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = at_root(root, communicator) ? 1 : mpi_bytes(large(count), type),
                       .peer = as_int(root)},
                      request, vendor.get(), send, counts, offsets, send_type, receive, count, type,
                      root, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iallgather_c(Word send, Word sent, Word send_type, Word receive,
                                        Word count, Word type, Word communicator, Word request) {
  static constinit Mpi<8> vendor("PMPI_Iallgather_c");
  return start_in_mpi({.call = Call::mpi_allgather,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type)},
                      request, vendor.get(), send, sent, send_type, receive, count, type,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Iallgatherv_c(Word send, Word sent, Word send_type, Word receive,
                                         Word counts, Word offsets, Word type, Word communicator,
                                         Word request) {
  static constinit Mpi<9> vendor("PMPI_Iallgatherv_c");
  return start_in_mpi({.call = Call::mpi_allgather,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = each_gives<std::int64_t>(counts, type, communicator)},
                      request, vendor.get(), send, sent, send_type, receive, counts, offsets, type,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ialltoall_c(Word send, Word sent, Word send_type, Word receive,
                                       Word count, Word type, Word communicator, Word request) {
  static constinit Mpi<8> vendor("PMPI_Ialltoall_c");
  return start_in_mpi({.call = Call::mpi_alltoall,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type)},
                      request, vendor.get(), send, sent, send_type, receive, count, type,
                      communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ialltoallv_c(Word send, Word sent, Word send_offsets, Word send_type,
                                        Word receive, Word counts, Word offsets, Word type,
                                        Word communicator, Word request) {
  static constinit Mpi<10> vendor("PMPI_Ialltoallv_c");
  return start_in_mpi({.call = Call::mpi_alltoall,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = each_gives<std::int64_t>(counts, type, communicator)},
                      request, vendor.get(), send, sent, send_offsets, send_type, receive, counts,
                      offsets, type, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ialltoallw_c(Word send, Word sent, Word send_offsets, Word send_types,
                                        Word receive, Word counts, Word offsets, Word types,
                                        Word communicator, Word request) {
  static constinit Mpi<10> vendor("PMPI_Ialltoallw_c");
  return start_in_mpi({.call = Call::mpi_alltoall,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator},
                      request, vendor.get(), send, sent, send_offsets, send_types, receive, counts,
                      offsets, types, communicator, request);
}

GRIDLOCK_INTERPOSE int MPI_Ireduce_scatter_c(Word send, Word receive, Word counts, Word type,
                                             Word reduction, Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Ireduce_scatter_c");
  return start_in_mpi({.call = Call::mpi_reduce_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = own_part<std::int64_t>(counts, type, communicator)},
                      request, vendor.get(), send, receive, counts, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Ireduce_scatter_block_c(Word send, Word receive, Word count, Word type,
                                                   Word reduction, Word communicator,
                                                   Word request) {
  static constinit Mpi<7> vendor("PMPI_Ireduce_scatter_block_c");
  return start_in_mpi({.call = Call::mpi_reduce_scatter,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Iscan_c(Word send, Word receive, Word count, Word type, Word reduction,
                                   Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Iscan_c");
  return start_in_mpi({.call = Call::mpi_scan,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}

GRIDLOCK_INTERPOSE int MPI_Iexscan_c(Word send, Word receive, Word count, Word type, Word reduction,
                                     Word communicator, Word request) {
  static constinit Mpi<7> vendor("PMPI_Iexscan_c");
  return start_in_mpi({.call = Call::mpi_exscan,
                       .frame = __builtin_frame_address(0),
                       .communicator = communicator,
                       .bytes = mpi_bytes(large(count), type)},
                      request, vendor.get(), send, receive, count, type, reduction, communicator,
                      request);
}
