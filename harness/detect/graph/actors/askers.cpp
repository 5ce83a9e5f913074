// Turns questions into waits.
#include "harness/detect/graph/actors/askers.h"

#include <algorithm>

#include "harness/detect/graph/parameters.h"

namespace gridlock::detect {
namespace {

using record::Waits;

// Whether the box still has what was asked about.
bool is_known(const record::Snapshot& snapshot, const record::Thread::Asked& asked) {
  return asked.of < (asked.waits == Waits::communicator_members ? snapshot.communicators.size()
                                                                : snapshot.streams.size());
}

void wait_for_it(const record::Snapshot& snapshot, record::Thread& thread) {
  const record::Thread::Asked& asked = thread.asked;
  thread.waits = asked.waits;
  thread.call = record::Call::poll;
  thread.callers = {};  // of its last wait
  if (asked.waits == Waits::communicator_members) {
    thread.communicator = asked.of;
    thread.call = snapshot.communicators[asked.of].last_call;
  } else if (asked.waits == Waits::all_requests) {
    thread.requests = {asked.of};
  } else {
    thread.stream = asked.of;
    thread.position = asked.position;
    thread.device = snapshot.streams[asked.of].device;
    thread.launches = ~std::uint64_t{0};
  }
}

}  // namespace

std::vector<record::Snapshot> with_askers(std::span<const record::Snapshot> snapshots,
                                          std::int64_t now_ns) {
  std::vector<record::Snapshot> shown(snapshots.begin(), snapshots.end());
  std::int64_t last_ns = 0;
  for (const record::Snapshot& snapshot : shown) {
    for (const record::Thread& thread : snapshot.threads) {
      last_ns = std::max(last_ns, thread.asked.at_ns);
    }
  }
  if (now_ns == 0) now_ns = last_ns;
  for (record::Snapshot& snapshot : shown) {
    for (record::Thread& thread : snapshot.threads) {
      const bool has_just_asked = asks(thread) && now_ns - thread.asked.at_ns <= kAsksAgainNs;
      if (thread.waits == Waits::nothing && has_just_asked && is_known(snapshot, thread.asked)) {
        wait_for_it(snapshot, thread);
      } else {
        thread.asked = {};
      }
    }
  }
  return shown;
}

}  // namespace gridlock::detect
