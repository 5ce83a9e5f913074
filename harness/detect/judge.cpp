// Looks, compares fingerprints, and calls a deadlock proven when one repeats.
#include "harness/detect/judge.h"

#include <algorithm>

#include "harness/detect/blame/blame.h"
#include "harness/detect/findings/describe.h"
#include "harness/detect/graph/actors/sleepers.h"
#include "harness/detect/graph/may_wait.h"
#include "harness/detect/graph/points.h"

namespace gridlock::detect {
namespace {

class Hash {
 public:
  void add(std::uint64_t value) {
    value_ = (value_ ^ value) * 0x9e3779b97f4a7c15ULL;
    value_ ^= value_ >> 29U;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0x243f6a8885a308d3ULL;
};

}  // namespace

Finding Judge::look(std::span<const record::Snapshot> snapshots) {
  ledger_.add(snapshots);
  graph_.build(snapshots, parameters_, &ledger_, Hosts::may_act);
  bool settled = find_dead();
  const Fingerprint before = fingerprint_;
  fingerprint_ = dead_.empty() ? Fingerprint() : fingerprint();
  // A proof by the record alone needs the kernel's word too, so that no thread or handler is left
  // out. One may have acted after the box was read and ended before the kernel was asked: so the
  // boxes are read again after the kernel has been asked.
  const bool asks = has_asked_kernel();
  const bool rests = !dead_.empty() && rests_on_kernel();
  const bool stands = !dead_.empty() && fingerprint_.record == before.record &&
                      has_asked_ == asks && (fingerprint_.kernel == before.kernel || !rests);
  has_asked_ = asks;
  std::vector<int> suspects = ranks_of_dead();
  if (stands) {
    find_unseen();
  } else {
    polls_.clear();
    unseen_.clear();
  }
  if (!unseen_.empty()) {
    // Ranks that are dead even without these streams were dead in the same way at the look before:
    // they are part of the set that stands.
    graph_.build(snapshots, parameters_, &ledger_, Hosts::may_act, unseen_);
    settled = find_dead();
  }
  is_saved_ = false;
  Finding found = finding(stands, settled);
  found.suspects = std::move(suspects);
  found.unmoved = !dead_.empty() && fingerprint_.record == before.record;
  found.rests_on_kernel = rests;
  return found;
}

Finding Judge::look_once(std::span<const record::Snapshot> snapshots) {
  ledger_.add(snapshots);
  graph_.build(snapshots, parameters_, &ledger_, Hosts::may_act);
  find_dead();
  // Without a second look, no polling round can have completed.
  polls_.clear();
  find_unseen();
  graph_.build(snapshots, parameters_, &ledger_, Hosts::may_act, unseen_);
  const bool settled = find_dead();
  is_saved_ = true;
  return finding(true, settled);
}

Finding Judge::finding(bool proven, bool settled) const {
  return {.dead = ranks_of_dead(),
          .proven = proven && !dead_.empty(),
          .settled = settled && !dead_.empty(),
          .closing = !settled && !dead_.empty() && others_are_closing()};
}

std::vector<int> Judge::ranks_of_dead() const {
  std::vector<int> ranks;
  for (const Index process : dead_) ranks.push_back(graph_.snapshots[process].rank);
  std::ranges::sort(ranks);
  return ranks;
}

bool Judge::others_are_closing() const {
  for (Index process = 0; process < graph_.snapshots.size(); ++process) {
    if (graph_.processes[process].gone || !graph_.can(graph_.host(process))) continue;
    const record::Snapshot& snapshot = graph_.snapshots[process];
    const auto closes = [&](const record::Thread& thread) {
      return !thread.exists || (thread.waits != record::Waits::nothing &&
                                ends_communicator(awaited_call(snapshot, thread)));
    };
    const bool may_wait = !snapshot.own_nccl() && is_driven(snapshot);
    if (!may_wait || !std::ranges::all_of(snapshot.threads, closes)) return false;
  }
  return true;
}

bool Judge::find_dead() {
  dead_.clear();
  bool settled = true;
  for (Index process = 0; process < graph_.snapshots.size(); ++process) {
    if (graph_.processes[process].gone) continue;
    if (graph_.can(graph_.host(process))) {
      settled = false;
    } else {
      dead_.push_back(process);
    }
  }
  return settled;
}

// Progress words that a device writes are true when they are read. Polled ones are only as fresh as
// the last polling round, so a whole round must lie between two looks at the same state. That is
// the second round to end after the first look, because the first may have begun before it. If no
// CUDA call is seen, nothing is known about any stream. Where a word could not be written, nothing
// is known until a later one is.
void Judge::find_unseen() {
  constexpr std::uint64_t kRounds = 2;
  const bool first = polls_.empty();
  unseen_.clear();
  for (Index process = 0; process < graph_.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph_.snapshots[process];
    const WaitGraph::Process& of = graph_.processes[process];
    if (first) polls_.push_back(snapshot.polls);
    if (snapshot.cuda_unseen) {
      unseen_.push_back(process);
      continue;
    }
    const bool round = !of.gone && snapshot.polls >= polls_[process] + kRounds;
    for (Index index = of.first_stream; index < graph_.processes[process + 1].first_stream;
         ++index) {
      const record::Stream& stream = snapshot.streams[index - of.first_stream];
      const bool has_missed = stream.missed > stream.completed;
      if (graph_.streams[index].units == 0 || (!stream.polled && !has_missed)) continue;
      if (round && !has_missed) continue;
      unseen_.push_back(process);
      break;
    }
  }
}

// Everything that the proof rests on: dead hosts, stuck streams, processes that are gone. If all of
// it is the same in two looks, it held on all ranks at one moment between them.
Judge::Fingerprint Judge::fingerprint() const {
  Hash hash;
  Hash kernel;
  for (Index process = 0; process < graph_.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph_.snapshots[process];
    const WaitGraph::Process& of = graph_.processes[process];
    if (of.gone) {
      hash.add(process);
      hash.add(static_cast<std::uint64_t>(snapshot.process));
      continue;
    }
    if (!of.trusted) continue;
    const bool dead = !graph_.can(graph_.host(process));
    if (dead) {
      hash.add(process);
      // If the proof rests on the kernel's word, it must have been asked at both looks: a handler
      // may have acted after the box was read and ended before the kernel was asked.
      kernel.add(snapshot.key);
      kernel.add(static_cast<std::uint64_t>(snapshot.signals));
      kernel.add(snapshot.processor_time_ns);
      for (const record::Thread& thread : snapshot.threads) {
        hash.add(thread.epoch << 1U | (thread.exists ? 1U : 0U));
        hash.add(static_cast<std::uint64_t>(thread.waits));
        if (thread.sleep.asleep) kernel.add(thread.sleep.switches);
        if (thread.in_launch.asleep) kernel.add(thread.in_launch.switches);
      }
      for (const record::Communicator& communicator : snapshot.communicators) {
        hash.add(communicator.id);
        hash.add(communicator.next_slot);
        hash.add(communicator.calls << 8U | static_cast<std::uint64_t>(communicator.state));
      }
    }
    for (Index stream = of.first_stream; stream < graph_.processes[process + 1].first_stream;
         ++stream) {
      const WaitGraph::Stream& units = graph_.streams[stream];
      const bool stuck =
          units.units > 0 && !graph_.can(graph_.pass(units.first_unit + units.units - 1));
      if (!dead && !stuck) continue;
      const record::Stream& record = snapshot.streams[stream - of.first_stream];
      hash.add(stream);
      if (dead) hash.add(record.enqueued);  // grows if NCCL launches by itself
      hash.add(record.started);
      hash.add(record.completed);
    }
  }
  for (const record::Snapshot& snapshot : graph_.snapshots) {
    for (const record::Sleeper& sleeper : snapshot.others) {
      // Its end matters too: it may have sent a signal after the receiver was looked at.
      kernel.add(sleeper.process);
      if (graph_.can(graph_.works(graph_.stirrer(sleeper.process)))) continue;
      if (!sleeper.sleep.asleep) continue;  // it only looks for work
      kernel.add(static_cast<std::uint64_t>(sleeper.tid));
      kernel.add(sleeper.sleep.switches);
    }
  }
  return {.record = hash.value() | 1U, .kernel = kernel.value()};
}

bool Judge::has_asked_kernel() const {
  return std::ranges::any_of(dead_,
                             [this](Index process) { return graph_.snapshots[process].key != 0; });
}

bool Judge::rests_on_kernel() const {
  for (Index process = 0; process < graph_.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph_.snapshots[process];
    // Processes of all ranks stand in one snapshot, also once its own rank is gone.
    const bool has_processes = std::ranges::any_of(
        snapshot.others,
        [&](const record::Sleeper& sleeper) { return sleeper.process != snapshot.key; });
    if (snapshot.launcher != 0 || has_processes) return true;
    if (graph_.processes[process].gone || graph_.can(graph_.host(process))) continue;
    const bool has_others = snapshot.other_threads > 0 || !snapshot.others.empty();
    // Its other threads do nothing: that is either an assumption, or so because they all sleep.
    const bool others_sleep = has_others && !graph_.has_others_awake(process);
    const bool handles_signals =
        snapshot.signals != record::Signals::none || snapshot.handles_outer_signal;
    if (handles_signals || others_sleep || (parameters_.strict && has_others)) {
      return true;
    }
    bool is_driven = false;  // has threads; all so far are in recorded waits
    for (Index index = 0; index < snapshot.threads.size(); ++index) {
      if (!snapshot.threads[index].exists) continue;
      is_driven = true;
      if (snapshot.threads[index].in_launch.asleep) return true;
      if (!graph_.threads[graph_.processes[process].first_thread + index].blocked) return true;
    }
    if (!is_driven) return true;
  }
  return false;
}

Verdict Judge::verdict() const {
  if (dead_.empty()) return {};
  const Points points = stuck_points(graph_);
  const Blame blamed = blame(graph_, points, &ledger_, Hosts::may_act);
  Verdict verdict = describe(graph_, points, blamed, &ledger_, Outcome::deadlock);
  verdict.assumptions = assumptions_of(graph_, points, dead_);
  if (is_saved_) {
    verdict.assumptions.emplace_back(phrase::Assumes{.what = phrase::Assumes::What::one_moment,
                                                     .ranks = finding(true, false).dead});
  }
  return verdict;
}

}  // namespace gridlock::detect
