#include "harness/detect/graph/may_wait.h"

namespace gridlock::detect {

using record::Call;

bool ends_communicator(Call call) {
  return call == Call::comm_finalize || call == Call::comm_destroy || call == Call::comm_abort;
}

bool may_stay_inside(const record::Thread& thread) {
  return ends_communicator(thread.call) ||
         (thread.call == Call::group_end && thread.waits == record::Waits::communicator_members);
}

Call awaited_call(const record::Snapshot& snapshot, const record::Thread& thread) {
  const bool is_deferred = thread.call == Call::group_end &&
                           thread.waits == record::Waits::communicator_members &&
                           thread.communicator < snapshot.communicators.size();
  return is_deferred ? snapshot.communicators[thread.communicator].last_call : thread.call;
}

bool only_may_wait(const record::Snapshot& snapshot, const record::Thread& thread) {
  return thread.is_launching() || thread.call == Call::memcpy_sync ||
         thread.call == Call::device_malloc || thread.call == Call::device_free ||
         thread.call == Call::host_malloc || ends_communicator(awaited_call(snapshot, thread)) ||
         thread.waits == record::Waits::operation;
}

}  // namespace gridlock::detect
