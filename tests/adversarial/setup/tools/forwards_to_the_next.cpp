// Forwards an all-reduce to whoever comes next.
#include <dlfcn.h>
#include <nccl.h>

extern "C" ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type,
                                      ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  static auto* const next =
      reinterpret_cast<decltype(&ncclAllReduce)>(dlsym(RTLD_NEXT, "ncclAllReduce"));
  return next(from, to, count, type, op, comm, stream);
}
