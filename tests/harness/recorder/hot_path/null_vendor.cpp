// A vendor's library that does nothing, so that a measurement shows only the recorder.
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstdint>
#include <cstring>

#define NULL_VENDOR extern "C" __attribute__((visibility("default"), noinline))

namespace {
int g_communicators[16];
int g_next = 0;
int write_value(cudaStream_t /*stream*/, unsigned long long address, std::uint32_t value,
                unsigned int /*flags*/) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's interface passes addresses as integers
  __atomic_store_n(reinterpret_cast<std::uint32_t*>(address), value, __ATOMIC_RELEASE);
  return 0;
}
}  // namespace

NULL_VENDOR ncclResult_t pncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t,
                                        ncclComm_t, cudaStream_t) {
  return ncclSuccess;
}
NULL_VENDOR ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count,
                                       ncclDataType_t type, ncclRedOp_t reduction,
                                       ncclComm_t communicator, cudaStream_t stream) {
  return pncclAllReduce(send, receive, count, type, reduction, communicator, stream);
}
NULL_VENDOR ncclResult_t pncclSend(const void*, size_t, ncclDataType_t, int, ncclComm_t,
                                   cudaStream_t) {
  return ncclSuccess;
}
NULL_VENDOR ncclResult_t ncclSend(const void* buffer, size_t count, ncclDataType_t type, int peer,
                                  ncclComm_t communicator, cudaStream_t stream) {
  return pncclSend(buffer, count, type, peer, communicator, stream);
}
NULL_VENDOR ncclResult_t pncclGroupStart() { return ncclSuccess; }
NULL_VENDOR ncclResult_t ncclGroupStart() { return pncclGroupStart(); }
NULL_VENDOR ncclResult_t pncclGroupEnd() { return ncclSuccess; }
NULL_VENDOR ncclResult_t ncclGroupEnd() { return pncclGroupEnd(); }
NULL_VENDOR ncclResult_t pncclCommInitRank(ncclComm_t* communicator, int, ncclUniqueId, int) {
  *communicator = reinterpret_cast<ncclComm_t>(&g_communicators[g_next++ % 16]);
  return ncclSuccess;
}
NULL_VENDOR ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId id,
                                          int rank) {
  return pncclCommInitRank(communicator, size, id, rank);
}

NULL_VENDOR cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
NULL_VENDOR cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned int* flags) {
  *flags = cudaStreamNonBlocking;
  return cudaSuccess;
}
NULL_VENDOR cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
NULL_VENDOR cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
NULL_VENDOR cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int) {
  return cudaSuccess;
}
NULL_VENDOR cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, cudaStream_t) {
  return cudaSuccess;
}
NULL_VENDOR cudaError_t cudaHostRegister(void*, size_t, unsigned int) { return cudaSuccess; }
NULL_VENDOR cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int) {
  *device = host;
  return cudaSuccess;
}
NULL_VENDOR cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function,
                                                         unsigned int, unsigned long long,
                                                         cudaDriverEntryPointQueryResult*) {
  *function = std::strcmp(name, "cuStreamWriteValue32") == 0 ? reinterpret_cast<void*>(&write_value)
                                                             : nullptr;
  return cudaSuccess;
}

// MPICH's interface, with a world of this rank and another.
NULL_VENDOR int PMPI_Get_library_version(char* text, int* length) {
  constexpr char kVersion[] = "MPICH Version: of nothing\n";
  std::memcpy(text, kVersion, sizeof kVersion);
  *length = sizeof kVersion - 1;
  return 0;
}
NULL_VENDOR int PMPI_Init(int*, char***) { return 0; }
NULL_VENDOR int MPI_Init(int* count, char*** arguments) { return PMPI_Init(count, arguments); }
NULL_VENDOR int PMPI_Comm_size(int, int* size) {
  *size = 2;
  return 0;
}
NULL_VENDOR int PMPI_Comm_rank(int, int* rank) {
  *rank = 0;
  return 0;
}
NULL_VENDOR int PMPI_Barrier(int) { return 0; }
NULL_VENDOR int MPI_Barrier(int communicator) { return PMPI_Barrier(communicator); }
NULL_VENDOR int PMPI_Isend(const void*, int, int, int, int, int, int* request) {
  *request = 100;
  return 0;
}
NULL_VENDOR int MPI_Isend(const void* buffer, int count, int type, int peer, int tag,
                          int communicator, int* request) {
  return PMPI_Isend(buffer, count, type, peer, tag, communicator, request);
}
NULL_VENDOR int PMPI_Irecv(void*, int, int, int, int, int, int* request) {
  *request = 101;
  return 0;
}
NULL_VENDOR int MPI_Irecv(void* buffer, int count, int type, int peer, int tag, int communicator,
                          int* request) {
  return PMPI_Irecv(buffer, count, type, peer, tag, communicator, request);
}
NULL_VENDOR int PMPI_Waitall(int count, int* requests, void*) {
  constexpr int kNull = 0x2c000000;
  for (int i = 0; i < count; ++i) requests[i] = kNull;
  return 0;
}
NULL_VENDOR int MPI_Waitall(int count, int* requests, void* statuses) {
  return PMPI_Waitall(count, requests, statuses);
}

// The same under names that the recorder does not know.
#define ALIAS_OF(function) __attribute__((alias(function)))
using EventRecord = cudaError_t(cudaEvent_t, cudaStream_t);
using LaunchKernel = cudaError_t(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
NULL_VENDOR decltype(pncclAllReduce) plain_all_reduce ALIAS_OF("pncclAllReduce");
NULL_VENDOR decltype(pncclGroupStart) plain_group_start ALIAS_OF("pncclGroupStart");
NULL_VENDOR decltype(pncclSend) plain_send ALIAS_OF("pncclSend");
NULL_VENDOR decltype(pncclGroupEnd) plain_group_end ALIAS_OF("pncclGroupEnd");
NULL_VENDOR EventRecord plain_event_record ALIAS_OF("cudaEventRecord");
NULL_VENDOR decltype(cudaStreamSynchronize) plain_stream_synchronize
    ALIAS_OF("cudaStreamSynchronize");
NULL_VENDOR LaunchKernel plain_launch_kernel ALIAS_OF("cudaLaunchKernel");
