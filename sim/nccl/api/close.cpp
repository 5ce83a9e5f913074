// ncclCommFinalize, ncclCommDestroy, ncclCommAbort, ncclCommRevoke.
#include "sim/nccl/api/export.h"
#include "sim/nccl/api/handle.h"
#include "sim/nccl/api/log.h"
#include "sim/nccl/collectives/group.h"

namespace sim::nccl {
namespace {

// From here on, the other ranks expect nothing from this rank. Idempotent.
void mark_closed(Communicator& c) {
  if (c.self().closed.exchange(1) != 0) return;
  c.segment().header().closed.fetch_add(1);
  c.segment().ring_host();
}

bool all_closed(const Communicator& c, bool only_this_process) {
  if (!only_this_process) {
    return c.segment().header().closed.load() == static_cast<std::uint32_t>(c.ranks());
  }
  for (int rank = 0; rank < c.ranks(); ++rank) {
    const Member& member = c.segment().member(rank);
    if (member.pid == c.self().pid && member.closed.load() == 0) return false;
  }
  return true;
}

// Closes one that was aborted or revoked. Even so, the last member in a process waits for graphs.
//   Source  NCCL 2.28, src/init.cc, commReclaim and commDestroySync
//   Blocks  until this process has destroyed the graphs
void close_stopped(Communicator& c) {
  mark_closed(c);
  if (all_closed(c, true)) c.wait_for_graphs();
}

// Waits for this rank's operations, then for all ranks of the node. A thread that drives several
// ranks closes them one after the other, so only the last rank of a process waits for the others.
//   Collective, Blocks
ncclResult_t close(Communicator& c) {
  if (!c.ready()) return ncclSuccess;
  if (c.revoked()) {
    close_stopped(c);
    return ncclSuccess;
  }
  c.wait_for_units();
  if (c.aborted()) return ncclInternalError;
  mark_closed(c);
  if (!all_closed(c, true)) return ncclSuccess;
  return c.wait_on_host([&] { return all_closed(c, false); }, false);
}

ncclResult_t abort(ncclComm_t handle, const char* call) {
  std::shared_ptr<Communicator> communicator;
  const ncclResult_t found = find(handle, call, &communicator);
  if (found != ncclSuccess) return found;
  communicator->abort();
  if (communicator->ready()) close_stopped(*communicator);
  close_handle(handle);
  return ncclSuccess;
}

}  // namespace
}  // namespace sim::nccl

using namespace sim::nccl;

ncclResult_t pncclCommFinalize(ncclComm_t comm) {
  std::shared_ptr<Communicator> communicator;
  const ncclResult_t found = find_ready(comm, "ncclCommFinalize", &communicator);
  if (found != ncclSuccess) return note(found);
  if (communicator->finalized.exchange(true)) {
    return note(fail(ncclInvalidArgument, "ncclCommFinalize: was called before"));
  }
  return note(submit({communicator, [communicator] { return close(*communicator); }}));
}
SIM_NCCL_EXPORT(ncclCommFinalize);

ncclResult_t pncclCommDestroy(ncclComm_t comm) {
  if (comm == nullptr) return ncclSuccess;
  std::shared_ptr<Communicator> communicator;
  const ncclResult_t found = find(comm, "ncclCommDestroy", &communicator);
  if (found != ncclSuccess) return note(found);
  const bool failed_init = !communicator->ready() && communicator->state() != ncclInProgress;
  if (failed_init || communicator->finalized.load()) {
    close_handle(comm);
    return ncclSuccess;
  }
  if (communicator->state() == ncclInProgress) {
    return note(fail(ncclInvalidArgument,
                     "ncclCommDestroy: the communicator is not ready; use ncclCommAbort"));
  }
  // The handle stays valid for an abort from another thread while this one waits.
  const auto work = [communicator, comm] {
    const ncclResult_t closed = close(*communicator);
    if (closed == ncclSuccess) close_handle(comm);
    return closed;
  };
  // NCCL 2.28, src/init.cc, destroyFlag: a destroy blocks even if the communicator is nonblocking.
  return note(submit({.owner = communicator, .work = work, .caller_waits = true}));
}
SIM_NCCL_EXPORT(ncclCommDestroy);

ncclResult_t pncclCommAbort(ncclComm_t comm) {
  if (comm == nullptr) return ncclSuccess;
  return note(abort(comm, "ncclCommAbort"));
}
SIM_NCCL_EXPORT(ncclCommAbort);

ncclResult_t pncclCommRevoke(ncclComm_t comm, int flags) {
  std::shared_ptr<Communicator> communicator;
  const ncclResult_t found = find(comm, "ncclCommRevoke", &communicator);
  if (found != ncclSuccess) return note(found);
  if (flags != NCCL_REVOKE_DEFAULT) {
    return note(fail(ncclInvalidArgument, "ncclCommRevoke: the flags are %d, not 0", flags));
  }
  if (!communicator->ready()) {
    return note(fail(ncclInvalidUsage, "ncclCommRevoke: the communicator is not ready"));
  }
  if (communicator->revoked() || communicator->finalized.load()) {
    return note(fail(ncclInvalidArgument,
                     "ncclCommRevoke: the communicator was finalized or revoked before"));
  }
  communicator->revoke();
  // An operation in progress reports its own result.
  if (communicator->state() != ncclInProgress) communicator->set_state(ncclSuccess);
  return ncclSuccess;
}
SIM_NCCL_EXPORT(ncclCommRevoke);
