// A stand-in for NCCL that only reports its calls. During a capture, it counts what it puts on a
// stream.
#include <nccl.h>
#include <sys/mman.h>

#include <cstddef>
#include <set>

#include "tests/harness/recorder/driver/driver.h"

using gridlock::driver::note;
using gridlock::driver::put;

namespace {

// 0x50000, 0x50010 …: opaque handles, at which there is memory.
ncclComm_t new_communicator() {
  constexpr std::size_t kPage = 4096;
  static auto* const page = static_cast<char*>(
      mmap(reinterpret_cast<void*>(0x50000), kPage, PROT_READ,  // NOLINT(performance-no-int-to-ptr)
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
  static std::size_t next = 0;
  return reinterpret_cast<ncclComm_t>(page + 0x10 * next++);
}

std::set<ncclComm_t> g_not_blocking;
std::set<ncclComm_t> g_destroyed;
ncclComm_t* g_child = nullptr;  // the variable for a child's handle

}  // namespace

VENDOR ncclResult_t pncclAllReduce(const void* send, void* receive, size_t count,
                                   ncclDataType_t type, ncclRedOp_t reduction,
                                   ncclComm_t communicator, cudaStream_t stream) {
  note("pncclAllReduce", send, receive, count, type, reduction, communicator, stream);
  put(stream);
  return ncclSuccess;
}
VENDOR ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count,
                                  ncclDataType_t type, ncclRedOp_t reduction,
                                  ncclComm_t communicator, cudaStream_t stream) {
  return pncclAllReduce(send, receive, count, type, reduction, communicator, stream);
}
VENDOR ncclResult_t pncclAlltoAll(const void* send, void* receive, size_t count,
                                  ncclDataType_t type, ncclComm_t communicator,
                                  cudaStream_t stream) {
  note("pncclAlltoAll", send, receive, count, type, communicator, stream);
  return ncclSuccess;
}
VENDOR ncclResult_t ncclAlltoAll(const void* send, void* receive, size_t count, ncclDataType_t type,
                                 ncclComm_t communicator, cudaStream_t stream) {
  return pncclAlltoAll(send, receive, count, type, communicator, stream);
}
VENDOR ncclResult_t pncclSend(const void* buffer, size_t count, ncclDataType_t type, int peer,
                              ncclComm_t communicator, cudaStream_t stream) {
  note("pncclSend", buffer, count, type, peer, communicator, stream);
  return ncclSuccess;
}
VENDOR ncclResult_t ncclSend(const void* buffer, size_t count, ncclDataType_t type, int peer,
                             ncclComm_t communicator, cudaStream_t stream) {
  return pncclSend(buffer, count, type, peer, communicator, stream);
}
VENDOR ncclResult_t pncclGroupStart() {
  note("pncclGroupStart");
  return ncclSuccess;
}
VENDOR ncclResult_t ncclGroupStart() { return pncclGroupStart(); }
VENDOR ncclResult_t pncclGroupEnd() {
  note("pncclGroupEnd");
  return ncclSuccess;
}
VENDOR ncclResult_t ncclGroupEnd() { return pncclGroupEnd(); }
VENDOR ncclResult_t pncclGroupSimulateEnd(ncclSimInfo_t*) {
  note("pncclGroupSimulateEnd");
  return g_not_blocking.empty() ? ncclSuccess : ncclInProgress;
}
VENDOR ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t* info) {
  return pncclGroupSimulateEnd(info);
}
VENDOR ncclResult_t pncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId, int rank) {
  note("pncclCommInitRank", size, rank);
  *communicator = new_communicator();
  return ncclSuccess;
}
VENDOR ncclResult_t ncclCommInitRank(ncclComm_t* communicator, int size, ncclUniqueId id,
                                     int rank) {
  return pncclCommInitRank(communicator, size, id, rank);
}
VENDOR ncclResult_t pncclCommInitRankConfig(ncclComm_t* communicator, int size, ncclUniqueId,
                                            int rank, ncclConfig_t* config) {
  note("pncclCommInitRankConfig", size, rank, config->blocking);
  *communicator = new_communicator();
  if (config->blocking != 0) return ncclSuccess;
  g_not_blocking.insert(*communicator);
  return ncclInProgress;
}
VENDOR ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int size, ncclUniqueId id,
                                           int rank, ncclConfig_t* config) {
  return pncclCommInitRankConfig(communicator, size, id, rank, config);
}
VENDOR ncclResult_t pncclCommSplit(ncclComm_t communicator, int color, int key, ncclComm_t* child,
                                   ncclConfig_t*) {
  note("pncclCommSplit", communicator, color, key);
  const bool later = g_not_blocking.contains(communicator);
  *child = later ? nullptr : new_communicator();
  if (later) g_child = child;
  return ncclSuccess;
}
VENDOR ncclResult_t pncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
  note("pncclCommGetAsyncError", communicator);
  if (g_child != nullptr) g_not_blocking.insert(*g_child = new_communicator());
  g_child = nullptr;
  *error = ncclSuccess;
  return ncclSuccess;
}
VENDOR ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
  return pncclCommGetAsyncError(communicator, error);
}
VENDOR ncclResult_t ncclCommSplit(ncclComm_t communicator, int color, int key, ncclComm_t* child,
                                  ncclConfig_t* config) {
  return pncclCommSplit(communicator, color, key, child, config);
}
VENDOR ncclResult_t pncclCommFinalize(ncclComm_t communicator) {
  note("pncclCommFinalize", communicator);
  return ncclSuccess;
}
VENDOR ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  return pncclCommFinalize(communicator);
}
VENDOR ncclResult_t pncclCommDestroy(ncclComm_t communicator) {
  note("pncclCommDestroy", communicator);
  return g_destroyed.insert(communicator).second ? ncclSuccess : ncclInvalidArgument;
}
VENDOR ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  return pncclCommDestroy(communicator);
}
VENDOR ncclResult_t pncclCommAbort(ncclComm_t communicator) {
  note("pncclCommAbort", communicator);
  return ncclSuccess;
}
VENDOR ncclResult_t ncclCommAbort(ncclComm_t communicator) { return pncclCommAbort(communicator); }
