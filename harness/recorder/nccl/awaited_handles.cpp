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

template <class Take>
void take_those_of(std::uint32_t parent, Take take) {
  if (parent == record::kNone) return;
  for (Awaited& awaited : g_awaited) {
    if (awaited.use.load(std::memory_order_acquire) != Use::awaited) continue;
    if (awaited.parent != parent) continue;
    Use use = Use::awaited;
    if (!awaited.use.compare_exchange_strong(use, Use::filling)) continue;
    take(awaited);
    awaited.use.store(Use::free, std::memory_order_release);
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

void find_handles(std::uint32_t parent, ncclResult_t result) {
  take_those_of(parent, [&](const Awaited& awaited) {
    const ncclComm_t handle = result == ncclSuccess ? read(awaited.where) : nullptr;
    name_communicator(awaited.child, handle);
    settled(awaited.child, handle, result);
  });
}

void forget_handles(std::uint32_t parent) {
  take_those_of(parent, [](const Awaited&) {});
}

}  // namespace gridlock::recorder
