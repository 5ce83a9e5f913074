// A plugin that finds NCCL's function as the next one of that name.
#include <dlfcn.h>
#include <nccl.h>

extern "C" ncclResult_t reduce_by_plugin(float* data, ncclComm_t comm, cudaStream_t stream) {
  auto* const next = reinterpret_cast<decltype(&ncclAllReduce)>(dlsym(RTLD_NEXT, "ncclAllReduce"));
  // So that the linker keeps NCCL.
  if (next == nullptr) return ncclAllReduce(data, data, 1024, ncclFloat, ncclSum, comm, stream);
  return next(data, data, 1024, ncclFloat, ncclSum, comm, stream);
}
