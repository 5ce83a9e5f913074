// Keeps a copy, and drops it when the job goes on, unless it goes on by an abort.
#include "harness/run/look/standstill.h"

#include <algorithm>

namespace gridlock::run {

namespace {

std::uint64_t state_of(std::span<const record::Snapshot> snapshots) {
  std::uint64_t state = 1;
  const auto mix = [&state](std::uint64_t value) {
    state = (state ^ value) * 0x9e3779b97f4a7c15U;
    state ^= state >> 29U;
  };
  for (const record::Snapshot& snapshot : snapshots) {
    mix(static_cast<std::uint64_t>(snapshot.process));
    mix(snapshot.recorded);
    for (const record::Stream& stream : snapshot.streams) {
      mix(stream.started);
      mix(stream.completed);
    }
    for (const record::Communicator& communicator : snapshot.communicators) {
      mix(static_cast<std::uint64_t>(communicator.state));
      mix(communicator.calls);
      mix(communicator.next_slot);
    }
  }
  return state;
}

// Whether work that was not there in `before` has been done. An abort ends only what is there.
bool has_gone_on(std::span<const record::Snapshot> before, std::span<const record::Snapshot> now) {
  for (std::size_t rank = 0; rank < std::min(before.size(), now.size()); ++rank) {
    const std::vector<record::Stream>& old = before[rank].streams;
    const std::vector<record::Stream>& streams = now[rank].streams;
    for (std::size_t i = 0; i < std::min(old.size(), streams.size()); ++i) {
      if (streams[i].completed > old[i].enqueued) return true;
    }
  }
  return false;
}

}  // namespace

void Standstill::look(std::span<const record::Snapshot> snapshots, std::int64_t time_ns) {
  if (!aborting(snapshots).empty()) {
    // The agent may have had no core from the standstill to the abort.
    if (!has_aborted_ && has_gone_on(kept_, snapshots)) kept_.clear();
    has_aborted_ = true;
    return;
  }
  const std::uint64_t state = state_of(snapshots);
  const bool moved = since_ns_ < 0 || state != state_;
  // A look reads one rank after the other. It may see what an abort did, and have read the rank
  // that aborts before. The next look shows whether it was an abort.
  if (has_moved_) kept_.clear();
  has_moved_ = moved;
  if (moved) {
    state_ = state;
    since_ns_ = time_ns;
    is_kept_ = false;
    return;
  }
  if (is_kept_ || time_ns - since_ns_ < least_.count()) return;
  kept_.assign(snapshots.begin(), snapshots.end());
  is_kept_ = true;
}

std::vector<record::Snapshot> Standstill::before_abort(
    std::span<const record::Snapshot> now) const {
  if (aborting(now).empty()) return {};
  std::vector<record::Snapshot> before = kept_;
  // Modules are read only when callers must be named. They do not move, so the current ones will
  // do.
  for (std::size_t i = 0; i < before.size() && i < now.size(); ++i) {
    before[i].modules = now[i].modules;
  }
  return before;
}

std::vector<int> aborting(std::span<const record::Snapshot> snapshots) {
  std::vector<int> ranks;
  for (const record::Snapshot& snapshot : snapshots) {
    const bool has_aborted = std::ranges::any_of(snapshot.communicators, [](const auto& one) {
      // An initialization that fails leaves the same state, and ends no wait.
      return one.state == record::CommunicatorState::aborted && !one.init_has_failed();
    });
    // A look at the thread may have found that it computes in the call, and then it waits for
    // nothing. On a GPU an abort computes for many milliseconds.
    const bool is_about_to = std::ranges::any_of(snapshot.threads, [](const auto& thread) {
      return thread.call == record::Call::comm_abort;
    });
    if (has_aborted || is_about_to) ranks.push_back(snapshot.rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

}  // namespace gridlock::run
