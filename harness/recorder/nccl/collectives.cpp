// NCCL's collectives. AlltoAll, Gather and Scatter came with NCCL 2.28.
#include "harness/recorder/nccl/operation.h"

GRIDLOCK_NCCL_OPERATION(ncclAllReduce, all_reduce, send, receive, count, type, reduction,
                        communicator, stream);
GRIDLOCK_NCCL_OPERATION(ncclReduce, reduce, send, receive, count, type, reduction, root,
                        communicator, stream);
GRIDLOCK_NCCL_OPERATION(ncclBroadcast, broadcast, send, receive, count, type, root, communicator,
                        stream);
GRIDLOCK_NCCL_OPERATION(ncclBcast, broadcast, buffer, count, type, root, communicator, stream);
GRIDLOCK_NCCL_OPERATION(ncclAllGather, all_gather, send, receive, count, type, communicator,
                        stream);
GRIDLOCK_NCCL_OPERATION(ncclReduceScatter, reduce_scatter, send, receive, count, type, reduction,
                        communicator, stream);
GRIDLOCK_NCCL_OPERATION(ncclAlltoAll, all_to_all, send, receive, count, type, communicator, stream);
GRIDLOCK_NCCL_OPERATION(ncclGather, gather, send, receive, count, type, root, communicator, stream);
GRIDLOCK_NCCL_OPERATION(ncclScatter, scatter, send, receive, count, type, root, communicator,
                        stream);
