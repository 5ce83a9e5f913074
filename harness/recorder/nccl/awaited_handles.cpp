// A small table of addresses in the program's memory, which the program may have freed.
#include "harness/recorder/nccl/awaited_handles.h"

#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

#include "harness/recorder/core/communicators/communicators.h"
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

// The handle at `where`; null if it cannot be read.
ncclComm_t read(ncclComm_t* where) {
  constexpr ssize_t kBytes = sizeof(void*);
  ncclComm_t handle = nullptr;
  const iovec to{.iov_base = &handle, .iov_len = kBytes};
  const iovec from{.iov_base = where, .iov_len = kBytes};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == kBytes ? handle : nullptr;
}

// Whether there is memory at `handle`: NCCL looks there.
bool may_be_valid(ncclComm_t handle) {
  char first = 0;
  const iovec to{.iov_base = &first, .iov_len = 1};
  const iovec from{.iov_base = handle, .iov_len = 1};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1;
}

// Handles do not come twice, so one that a communicator already has is not the child's.
ncclComm_t handle_of(const Awaited& awaited) {
  if (const ncclComm_t known = communicator_handle(awaited.child); known != nullptr) return known;
  const ncclComm_t handle = awaited.where == nullptr ? nullptr : read(awaited.where);
  const bool is_its = handle != nullptr && communicator_index(handle) == record::kNone;
  return is_its && may_be_valid(handle) ? handle : nullptr;
}

// Whether `take` has taken the entry; if not, it stays awaited.
template <class Is, class Take>
void take_if(Is is, Take take) {
  for (Awaited& awaited : g_awaited) {
    if (awaited.use.load(std::memory_order_acquire) != Use::awaited || !is(awaited)) continue;
    Use use = Use::awaited;
    if (!awaited.use.compare_exchange_strong(use, Use::filling)) continue;
    const bool taken = take(awaited);
    awaited.use.store(taken ? Use::free : Use::awaited, std::memory_order_release);
  }
}

// The program uses this variable for another child now, so it tells no longer the first one's.
void forget_place(ncclComm_t* where) {
  take_if([&](const Awaited& awaited) { return awaited.where == where; },
          [](Awaited& awaited) {
            awaited.where = nullptr;
            return false;
          });
}

// The handle of `child` will be at `where`.
void await_handle(std::uint32_t parent, std::uint32_t child, ncclComm_t* where) {
  forget_place(where);
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

std::uint32_t find_handle(ncclComm_t handle) {
  const auto is_there = [&](const Awaited& awaited) {
    return awaited.where != nullptr && read(awaited.where) == handle;
  };
  // The parent has not said that the child is ready.
  take_if(is_there, [&](const Awaited& awaited) {
    const bool is_new = communicator_handle(awaited.child) == nullptr;
    if (is_new && communicator_index(handle) == record::kNone) {
      name_communicator(awaited.child, handle);
    }
    return false;
  });
  return communicator_index(handle);
}

void find_handles(std::uint32_t parent, ncclResult_t result) {
  if (parent == record::kNone) return;
  take_if([&](const Awaited& awaited) { return awaited.parent == parent; },
          [&](const Awaited& awaited) {
            const ncclComm_t handle = result == ncclSuccess ? handle_of(awaited) : nullptr;
            if (handle == nullptr && result == ncclSuccess) mark_uncertain(awaited.child);
            if (handle != communicator_handle(awaited.child)) {
              name_communicator(awaited.child, handle);
            }
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
