// Send and receive, and the groups that they mostly come in.
#include <algorithm>

#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/streams/placing.h"
#include "harness/recorder/nccl/operation.h"

using gridlock::recorder::Group;
using gridlock::recorder::this_thread;
using gridlock::recorder::ThreadState;

GRIDLOCK_NCCL_OPERATION(ncclSend, send, send, count, type, peer, communicator, stream);
GRIDLOCK_NCCL_OPERATION(ncclRecv, recv, receive, count, type, peer, communicator, stream);

namespace {

ncclResult_t start_group(decltype(pncclGroupStart)* vendor) {
  if (this_thread().depth == 0 && gridlock::recorder::recording()) {
    gridlock::recorder::this_group().start();
  }
  return vendor();
}

enum class Then : std::uint8_t { launch, nothing };

// The outermost end launches the group or drops it. `forward` may wait there for communicators that
// are made in the group, or for a first connection.
template <class Forward>
ncclResult_t end_group(const void* frame, Then then, Forward forward) {
  ThreadState& thread = this_thread();
  Group& group = gridlock::recorder::this_group();
  if (thread.depth > 0 || !gridlock::recorder::recording() || !group.end()) return forward();
  const gridlock::recorder::Inside inside(thread);
  const gridlock::recorder::PlacesWork places(thread);
  group.send_off();
  const bool waits = group.waits();
  const bool launches = !waits && then == Then::launch && group.launches();
  if (waits) {
    register_thread(thread);
    enter_wait(thread, group.wait(), frame);
  }
  if (launches) {
    enter_launch(thread, gridlock::record::Call::group_end, group.device(),
                 std::max(gridlock::recorder::coarse_now_ns(), group.time_ns()));
  }
  const ncclResult_t result = forward();
  if (then == Then::launch) {
    group.finish(result);
  } else {
    group.finish_simulated(result);
  }
  if (waits) leave_wait(thread);
  if (launches) leave_launch(thread);
  return result;
}

}  // namespace

GRIDLOCK_NCCL_NAMES(ncclGroupStart, (), (), start_group(vendor));

GRIDLOCK_NCCL_NAMES(ncclGroupEnd, (), (),
                    end_group(frame, Then::launch, [vendor] { return vendor(); }));

GRIDLOCK_NCCL_NAMES(ncclGroupSimulateEnd, (ncclSimInfo_t * info), (info),
                    end_group(frame, Then::nothing, [vendor, info] { return vendor(info); }));
