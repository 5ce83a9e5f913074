// The rest of the interface: versions, errors, queries, operators, registration, groups, memory.
#include <cstdio>
#include <cstring>

#include "sim/cuda/interface/runtime.h"
#include "sim/nccl/api/export.h"
#include "sim/nccl/api/handle.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/collectives/group.h"

using namespace sim::nccl;

namespace {

template <typename Value>
ncclResult_t tell(ncclComm_t comm, const char* call, int* to, Value value) {
  std::shared_ptr<Communicator> communicator;
  const ncclResult_t found = find(comm, call, &communicator);
  if (found != ncclSuccess) return found;
  if (const ncclResult_t given = require(to, call, "the result"); given != ncclSuccess) {
    return given;
  }
  if (!communicator->ready()) {
    return fail(ncclInvalidArgument, "%s: the communicator is not ready", call);
  }
  *to = value(*communicator);
  return ncclSuccess;
}

ncclResult_t from_cuda(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return ncclSuccess;
  return fail(ncclUnhandledCudaError, "%s: %s", call, sim::runtime::error_string(error));
}

}  // namespace

// What a registration handle points to.
struct ncclWindow_vidmem {
  void* data;
  std::size_t bytes;
};

ncclResult_t pncclGetVersion(int* version) {
  if (const ncclResult_t given = require(version, "ncclGetVersion", "version");
      given != ncclSuccess) {
    return given;
  }
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclGetVersion);

// Only the simulated NCCL has this symbol. The recorder uses it to tell it from the real NCCL.
extern "C" __attribute__((visibility("default"))) void simOwnNccl() {}

const char* pncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "unknown result code";
  }
}
SIM_NCCL_EXPORT(ncclGetErrorString);

const char* pncclGetLastError(ncclComm_t) { return last_error(); }
SIM_NCCL_EXPORT(ncclGetLastError);

void pncclResetDebugInit() {}
SIM_NCCL_EXPORT(ncclResetDebugInit);

ncclResult_t pncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  std::shared_ptr<Communicator> communicator;
  const ncclResult_t found = find(comm, "ncclCommGetAsyncError", &communicator);
  if (found != ncclSuccess) return found;
  if (const ncclResult_t given = require(error, "ncclCommGetAsyncError", "asyncError");
      given != ncclSuccess) {
    return given;
  }
  *error = communicator->state();
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclCommGetAsyncError);

ncclResult_t pncclCommCount(const ncclComm_t comm, int* count) {
  return tell(comm, "ncclCommCount", count, [](const Communicator& c) { return c.ranks(); });
}
SIM_NCCL_EXPORT(ncclCommCount);

ncclResult_t pncclCommCuDevice(const ncclComm_t comm, int* device) {
  return tell(comm, "ncclCommCuDevice", device, [](const Communicator& c) { return c.device(); });
}
SIM_NCCL_EXPORT(ncclCommCuDevice);

ncclResult_t pncclCommUserRank(const ncclComm_t comm, int* rank) {
  return tell(comm, "ncclCommUserRank", rank, [](const Communicator& c) { return c.rank(); });
}
SIM_NCCL_EXPORT(ncclCommUserRank);

ncclResult_t pncclRedOpCreatePreMulSum(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                                       ncclScalarResidence_t residence, ncclComm_t comm) {
  constexpr const char* kCall = "ncclRedOpCreatePreMulSum";
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find_ready(comm, kCall, &c);
  if (found != ncclSuccess) return found;
  if (op == nullptr || scalar == nullptr || size_of(type) == 0 ||
      (residence != ncclScalarDevice && residence != ncclScalarHostImmediate)) {
    return fail(ncclInvalidArgument, "%s: op or scalar is null, or the type does not exist", kCall);
  }
  Factor factor{.type = type, .alive = true};
  if (residence == ncclScalarDevice) {
    factor.where = scalar;
  } else {
    std::memcpy(&factor.bits, scalar, size_of(type));
  }
  const std::lock_guard lock(c->issue_mutex());
  *op = factor.handle = c->next_operator();
  c->factors.push_back(factor);
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclRedOpCreatePreMulSum);

ncclResult_t pncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find(comm, "ncclRedOpDestroy", &c);
  if (found != ncclSuccess) return found;
  const std::lock_guard lock(c->issue_mutex());
  Factor* const made = c->operator_of(op);
  if (made == nullptr) {
    return fail(ncclInvalidArgument, "ncclRedOpDestroy: reduction %d was not made by the program",
                static_cast<int>(op));
  }
  made->alive = false;
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclRedOpDestroy);

// Every rank can read the whole arena already, so a registration is only remembered.
ncclResult_t pncclCommRegister(const ncclComm_t comm, void* data, size_t bytes, void** handle) {
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find_ready(comm, "ncclCommRegister", &c);
  if (found != ncclSuccess) return found;
  if (data == nullptr || bytes == 0 || handle == nullptr) {
    return fail(ncclInvalidArgument, "ncclCommRegister: buff, size or handle is null");
  }
  *handle = new ncclWindow_vidmem{data, bytes};
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclCommRegister);

ncclResult_t pncclCommDeregister(const ncclComm_t comm, void* handle) {
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find(comm, "ncclCommDeregister", &c);
  if (found != ncclSuccess) return found;
  delete static_cast<ncclWindow_t>(handle);
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclCommDeregister);

// Collective for symmetric windows only, as in NCCL.
ncclResult_t pncclCommWindowRegister(ncclComm_t comm, void* data, size_t bytes,
                                     ncclWindow_t* window, int flags) {
  constexpr const char* kCall = "ncclCommWindowRegister";
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find_ready(comm, kCall, &c);
  if (found != ncclSuccess) return note(found);
  const bool aligned = reinterpret_cast<std::uintptr_t>(data) % NCCL_WIN_REQUIRED_ALIGNMENT == 0;
  if (data == nullptr || bytes == 0 || window == nullptr || !aligned) {
    return note(fail(ncclInvalidArgument,
                     "%s: give a window, a size, and memory at a multiple of %d", kCall,
                     NCCL_WIN_REQUIRED_ALIGNMENT));
  }
  *window = new ncclWindow_vidmem{data, bytes};
  if ((flags & NCCL_WIN_COLL_SYMMETRIC) == 0) return ncclSuccess;
  const auto meet = [c] {
    std::uint64_t wanted = 0;
    {
      const std::lock_guard lock(c->issue_mutex());
      wanted = ++c->windows * static_cast<std::uint64_t>(c->ranks());
    }
    auto& windows = c->segment().header().windows;
    if (windows.fetch_add(1) + 1 == wanted) c->segment().ring_host();
    return c->wait_on_host([&] { return windows.load() >= wanted; }, true);
  };
  return note(submit({c, meet}));
}
SIM_NCCL_EXPORT(ncclCommWindowRegister);

ncclResult_t pncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window) {
  std::shared_ptr<Communicator> c;
  const ncclResult_t found = find(comm, "ncclCommWindowDeregister", &c);
  if (found != ncclSuccess) return found;
  delete window;
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclCommWindowDeregister);

ncclResult_t pncclMemAlloc(void** pointer, size_t bytes) {
  if (const ncclResult_t given = require(pointer, "ncclMemAlloc", "ptr"); given != ncclSuccess) {
    return given;
  }
  return from_cuda(sim::runtime::allocate(pointer, bytes), "ncclMemAlloc");
}
SIM_NCCL_EXPORT(ncclMemAlloc);

ncclResult_t pncclMemFree(void* pointer) {
  return from_cuda(sim::runtime::release(pointer), "ncclMemFree");
}
SIM_NCCL_EXPORT(ncclMemFree);

ncclResult_t pncclGroupStart() {
  begin_group();
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclGroupStart);

ncclResult_t pncclGroupEnd() { return end_group(false); }
SIM_NCCL_EXPORT(ncclGroupEnd);

ncclResult_t pncclGroupSimulateEnd(ncclSimInfo_t*) {
  const ncclResult_t ended = end_group(true);
  if (ended != ncclSuccess) return ended;
  std::fputs("gridlock-sim: ncclGroupSimulateEnd is not covered; the group was dropped\n", stderr);
  return fail(ncclInvalidUsage, "ncclGroupSimulateEnd is not covered by the simulation");
}
SIM_NCCL_EXPORT(ncclGroupSimulateEnd);
