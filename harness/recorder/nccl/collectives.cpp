// The collectives of NCCL. AlltoAll, Gather and Scatter came with NCCL 2.28.
#include "harness/recorder/core/vendor.h"
#include "harness/recorder/nccl/communicate.h"

using gridlock::record::Call;
using gridlock::recorder::communicate;
using gridlock::recorder::Nccl;

GRIDLOCK_INTERPOSE ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count,
                                              ncclDataType_t type, ncclRedOp_t reduction,
                                              ncclComm_t communicator, cudaStream_t stream) {
  static constinit Nccl<decltype(pncclAllReduce)> vendor("pncclAllReduce");
  return communicate({.call = Call::all_reduce,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type,
                      .reduction = reduction},
                     vendor.get(), send, receive, count, type, reduction, communicator, stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclReduce(const void* send, void* receive, size_t count,
                                           ncclDataType_t type, ncclRedOp_t reduction, int root,
                                           ncclComm_t communicator, cudaStream_t stream) {
  static constinit Nccl<decltype(pncclReduce)> vendor("pncclReduce");
  return communicate({.call = Call::reduce,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type,
                      .reduction = reduction,
                      .peer = root},
                     vendor.get(), send, receive, count, type, reduction, root, communicator,
                     stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count,
                                              ncclDataType_t type, int root,
                                              ncclComm_t communicator, cudaStream_t stream) {
  static constinit Nccl<decltype(pncclBroadcast)> vendor("pncclBroadcast");
  return communicate({.call = Call::broadcast,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type,
                      .peer = root},
                     vendor.get(), send, receive, count, type, root, communicator, stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclBcast(void* buffer, size_t count, ncclDataType_t type, int root,
                                          ncclComm_t communicator, cudaStream_t stream) {
  static constinit Nccl<decltype(pncclBcast)> vendor("pncclBcast");
  return communicate({.call = Call::broadcast,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type,
                      .peer = root},
                     vendor.get(), buffer, count, type, root, communicator, stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclAllGather(const void* send, void* receive, size_t count,
                                              ncclDataType_t type, ncclComm_t communicator,
                                              cudaStream_t stream) {
  static constinit Nccl<decltype(pncclAllGather)> vendor("pncclAllGather");
  return communicate({.call = Call::all_gather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type},
                     vendor.get(), send, receive, count, type, communicator, stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count,
                                                  ncclDataType_t type, ncclRedOp_t reduction,
                                                  ncclComm_t communicator, cudaStream_t stream) {
  static constinit Nccl<decltype(pncclReduceScatter)> vendor("pncclReduceScatter");
  return communicate({.call = Call::reduce_scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type,
                      .reduction = reduction},
                     vendor.get(), send, receive, count, type, reduction, communicator, stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count,
                                             ncclDataType_t type, ncclComm_t communicator,
                                             cudaStream_t stream) {
  static constinit Nccl<decltype(pncclAlltoAll)> vendor("pncclAlltoAll");
  return communicate({.call = Call::all_to_all,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type},
                     vendor.get(), send, receive, count, type, communicator, stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclGather(const void* send, void* receive, size_t count,
                                           ncclDataType_t type, int root, ncclComm_t communicator,
                                           cudaStream_t stream) {
  static constinit Nccl<decltype(pncclGather)> vendor("pncclGather");
  return communicate({.call = Call::gather,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type,
                      .peer = root},
                     vendor.get(), send, receive, count, type, root, communicator, stream);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclScatter(const void* send, void* receive, size_t count,
                                            ncclDataType_t type, int root, ncclComm_t communicator,
                                            cudaStream_t stream) {
  static constinit Nccl<decltype(pncclScatter)> vendor("pncclScatter");
  return communicate({.call = Call::scatter,
                      .frame = __builtin_frame_address(0),
                      .communicator = communicator,
                      .stream = stream,
                      .count = count,
                      .datatype = type,
                      .peer = root},
                     vendor.get(), send, receive, count, type, root, communicator, stream);
}
