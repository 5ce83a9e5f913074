// The rest of nccl.h. Nothing here is recorded, though memory and symmetric windows may wait
// (docs/detection.md); it is defined so that a program finds every function in one place, even
// those that its NCCL is too old to have.
#include <nccl.h>

#include "harness/recorder/core/process/tools.h"
#include "harness/recorder/nccl/communicate.h"

using gridlock::recorder::NextNccl;

namespace {

template <class Function, class... Arguments>
ncclResult_t forward(Function* function, Arguments... arguments) {
  return function == nullptr ? ncclInvalidUsage : function(arguments...);
}

// A call that belongs to the open group. If NCCL refuses it, it refuses the group too.
template <class Function, class... Arguments>
ncclResult_t forward_in_group(Function* function, Arguments... arguments) {
  const ncclResult_t result = forward(function, arguments...);
  if (gridlock::recorder::is_error(result)) gridlock::recorder::this_group().note_refusal();
  return result;
}

}  // namespace

GRIDLOCK_INTERPOSE ncclResult_t ncclMemAlloc(void** pointer, size_t size) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclMemAlloc)> vendor("pncclMemAlloc");
  return forward(vendor.get(), pointer, size);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclMemFree(void* pointer) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclMemFree)> vendor("pncclMemFree");
  return forward(vendor.get(), pointer);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclGetVersion(int* version) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclGetVersion)> vendor("pncclGetVersion");
  return forward(vendor.get(), version);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclGetUniqueId)> vendor("pncclGetUniqueId");
  return forward(vendor.get(), id);
}

GRIDLOCK_INTERPOSE const char* ncclGetErrorString(ncclResult_t result) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclGetErrorString)> vendor(
      "pncclGetErrorString");
  return vendor.get() == nullptr ? "NCCL was not found" : vendor.get()(result);
}

GRIDLOCK_INTERPOSE const char* ncclGetLastError(ncclComm_t communicator) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclGetLastError)> vendor(
      "pncclGetLastError");
  return vendor.get() == nullptr ? "NCCL was not found" : vendor.get()(communicator);
}

GRIDLOCK_INTERPOSE void ncclResetDebugInit() {
  GRIDLOCK_LOOKUP static constinit NextNccl<void()> vendor("pncclResetDebugInit");
  if (vendor.get() != nullptr) vendor.get()();
}

GRIDLOCK_INTERPOSE ncclResult_t ncclCommCount(const ncclComm_t communicator, int* count) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclCommCount)> vendor("pncclCommCount");
  return forward(vendor.get(), communicator, count);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclCommCuDevice(const ncclComm_t communicator, int* device) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclCommCuDevice)> vendor(
      "pncclCommCuDevice");
  return forward(vendor.get(), communicator, device);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclCommUserRank(const ncclComm_t communicator, int* rank) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclCommUserRank)> vendor(
      "pncclCommUserRank");
  return forward(vendor.get(), communicator, rank);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclCommRegister(const ncclComm_t communicator, void* buffer,
                                                 size_t size, void** handle) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclCommRegister)> vendor(
      "pncclCommRegister");
  return forward(vendor.get(), communicator, buffer, size, handle);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclCommDeregister(const ncclComm_t communicator, void* handle) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclCommDeregister)> vendor(
      "pncclCommDeregister");
  return forward(vendor.get(), communicator, handle);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclCommWindowRegister(ncclComm_t communicator, void* buffer,
                                                       size_t size, ncclWindow_t* window,
                                                       int flags) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclCommWindowRegister)> vendor(
      "pncclCommWindowRegister");
  return forward_in_group(vendor.get(), communicator, buffer, size, window, flags);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclCommWindowDeregister(ncclComm_t communicator,
                                                         ncclWindow_t window) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclCommWindowDeregister)> vendor(
      "pncclCommWindowDeregister");
  return forward(vendor.get(), communicator, window);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* reduction, void* scalar,
                                                         ncclDataType_t type,
                                                         ncclScalarResidence_t residence,
                                                         ncclComm_t communicator) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclRedOpCreatePreMulSum)> vendor(
      "pncclRedOpCreatePreMulSum");
  return forward(vendor.get(), reduction, scalar, type, residence, communicator);
}

GRIDLOCK_INTERPOSE ncclResult_t ncclRedOpDestroy(ncclRedOp_t reduction, ncclComm_t communicator) {
  GRIDLOCK_LOOKUP static constinit NextNccl<decltype(pncclRedOpDestroy)> vendor(
      "pncclRedOpDestroy");
  return forward(vendor.get(), reduction, communicator);
}
