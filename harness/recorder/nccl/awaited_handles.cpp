// A small table of addresses in the program's memory, which the program may have freed.
#include "harness/recorder/nccl/awaited_handles.h"

#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {
namespace {

enum class Use : std::uint8_t { free, filling, awaited };

struct Awaited {
  std::atomic<Use> use = Use::free;
  std::uint32_t parent = record::kNone;
  std::uint32_t child = record::kNone;
  ncclComm_t* where = nullptr;
};

Awaited g_awaited[32];

GRIDLOCK_LOOKUP Nccl<ncclResult_t(ncclComm_t, ncclResult_t*)> g_async_error(
    "pncclCommGetAsyncError");

// False if there is no memory.
bool copy(const void* from, void* to, std::size_t bytes) {
  const iovec there{.iov_base = const_cast<void*>(from), .iov_len = bytes};
  const iovec here{.iov_base = to, .iov_len = bytes};
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes);
}

// The handle at `where`; null if it cannot be read.
ncclComm_t read(ncclComm_t* where) {
  ncclComm_t handle = nullptr;
  return copy(where, &handle, sizeof handle) ? handle : nullptr;
}

// Whether there is memory at `handle`: NCCL looks there.
bool may_be_valid(ncclComm_t handle) {
  char first = 0;
  return copy(handle, &first, sizeof first);
}

// Handles do not come twice, so one that a communicator already has is not the child's.
ncclComm_t handle_of(const Awaited& awaited) {
  const ncclComm_t handle = awaited.where == nullptr ? nullptr : read(awaited.where);
  const bool is_its =
      handle != nullptr && communicator_index(handle) == record::kNone && !is_lost(handle);
  return is_its && may_be_valid(handle) ? handle : nullptr;
}

// The program uses the child's handle. Whether NCCL has said what became of it.
bool is_settled(std::uint32_t child, ncclComm_t handle) {
  const ncclResult_t error = error_of(handle);
  if (error == ncclInProgress) return false;
  if (error == ncclSuccess) {
    settled(child, handle, error);
  } else {
    mark_uncertain(child);
  }
  return true;
}

// Nobody else changes it meanwhile. Another thread has it only for some calls; a signal's handler
// must not wait for the code that it has interrupted.
bool hold(Awaited& awaited) {
  constexpr int kTries = 1000;
  for (int tries = 0; tries < kTries; ++tries) {
    Use use = Use::awaited;
    if (awaited.use.compare_exchange_strong(use, Use::filling)) return true;
    if (use == Use::free) return false;
    sched_yield();
  }
  return false;
}

// Calls `take` for each entry that `is` holds for. If it returns false, the entry stays.
template <class Is, class Take>
void take_if(Is is, Take take) {
  for (Awaited& awaited : g_awaited) {
    if (awaited.use.load(std::memory_order_acquire) == Use::free || !hold(awaited)) continue;
    const bool is_over = is(awaited) && take(awaited);
    awaited.use.store(is_over ? Use::free : Use::awaited, std::memory_order_release);
  }
}

// The handle of `child` will be at `where`.
void await_handle(std::uint32_t parent, std::uint32_t child, ncclComm_t* where) {
  for (Awaited& awaited : g_awaited) {
    Use use = Use::free;
    if (!awaited.use.compare_exchange_strong(use, Use::filling)) continue;
    awaited.parent = parent;
    awaited.child = child;
    awaited.where = where;
    awaited.use.store(Use::awaited, std::memory_order_release);
    return;
  }
  __atomic_fetch_add(&writer().box().header.lost_communicators, 1, __ATOMIC_RELAXED);
}

}  // namespace

ncclResult_t error_of(ncclComm_t handle) {
  ncclResult_t error = ncclInProgress;
  if (g_async_error.get() == nullptr) return error;
  const ncclResult_t result = g_async_error.get()(handle, &error);
  return result == ncclSuccess ? error : result;
}

void opened_at(std::uint32_t communicator, ncclComm_t* where, ncclResult_t result) {
  const bool failed = result != ncclSuccess && result != ncclInProgress;
  // NCCL may still be working, and may write it at this moment.
  const ncclComm_t handle =
      failed ? nullptr : std::atomic_ref(*where).load(std::memory_order_acquire);
  const std::uint32_t parent = parent_of(communicator);
  if (handle == nullptr && !failed && parent != record::kNone) {
    return await_handle(parent, communicator, where);
  }
  opened(communicator, handle, result);
}

void forget_place(ncclComm_t* where) {
  take_if([&](const Awaited& awaited) { return awaited.where == where; },
          [](Awaited& awaited) {
            awaited.where = nullptr;
            return false;
          });
}

std::uint32_t find_handle(ncclComm_t handle) {
  if (is_lost(handle)) return record::kNone;
  const auto is_there = [&](const Awaited& awaited) {
    return awaited.where != nullptr && read(awaited.where) == handle;
  };
  take_if(is_there, [&](const Awaited& awaited) {
    const bool is_new = communicator_handle(awaited.child) == nullptr;
    if (!is_new || communicator_index(handle) != record::kNone) return false;
    name_communicator(awaited.child, handle);
    return is_settled(awaited.child, handle);
  });
  return communicator_index(handle);
}

void find_handles(std::uint32_t parent, ncclResult_t result) {
  if (parent == record::kNone) return;
  take_if([&](const Awaited& awaited) { return awaited.parent == parent; },
          [&](const Awaited& awaited) {
            // One that is in use has an error of its own.
            const ncclComm_t known = communicator_handle(awaited.child);
            if (known != nullptr) return is_settled(awaited.child, known);
            const ncclComm_t handle = result == ncclSuccess ? handle_of(awaited) : nullptr;
            if (handle == nullptr && result == ncclSuccess) mark_uncertain(awaited.child);
            name_communicator(awaited.child, handle);
            settled(awaited.child, handle, result);
            return true;
          });
}

void forget_handles(std::uint32_t communicator) {
  if (communicator == record::kNone) return;
  take_if(
      [&](const Awaited& awaited) {
        return awaited.parent == communicator || awaited.child == communicator;
      },
      [](const Awaited&) { return true; });
}

}  // namespace gridlock::recorder
