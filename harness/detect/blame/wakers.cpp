// Follows sleeps from waker to waker, each process once.
#include "harness/detect/blame/wakers.h"

#include <algorithm>

namespace gridlock::detect {

Wakers::Wakers(const WaitGraph& graph) : graph_(graph) {
  for (Index process = 0; process < graph.snapshots.size(); ++process) {
    const record::Snapshot& snapshot = graph.snapshots[process];
    if (snapshot.key != 0) of_key_.emplace(snapshot.key, process);
    for (const record::Sleeper& one : snapshot.others) {
      unrecorded_[one.process].push_back(&one);
    }
  }
}

std::vector<Index> Wakers::of(Index process) {
  ranks_.clear();
  followed_.clear();
  ones_.clear();
  read_.clear();
  const record::Snapshot& snapshot = graph_.snapshots[process];
  for (const record::Thread& thread : snapshot.threads) {
    if (!thread.exists || thread.waits != record::Waits::nothing) continue;
    if (!thread.sleep.asleep || thread.sleep.for_signal) {
      read_.clear();
      return {};
    }
    add(thread.sleep, snapshot.key);
  }
  if (snapshot.threads.empty()) follow(snapshot.key, snapshot.key);
  return ranks_but(process);
}

std::vector<Index> Wakers::of_loops(Index process) {
  const record::ProcessKey own = graph_.snapshots[process].key;
  if (!of(process).empty() || !read_.contains(own)) return {};
  for (const record::Sleeper* one : unrecorded_[own]) {
    const record::Sleep& sleep = one->sleep;
    const bool waits = sleep.asleep || (sleep.by_clock && !sleep.only_by_clock);
    if (waits && !sleep.may_idle && !sleep.for_signal) add(sleep, own);
  }
  return ranks_but(process);
}

std::vector<Index> Wakers::ranks_but(Index process) {
  std::erase(ranks_, process);
  std::sort(ranks_.begin(), ranks_.end());
  ranks_.erase(std::unique(ranks_.begin(), ranks_.end()), ranks_.end());
  return ranks_;
}

bool Wakers::has_sleeper(Index process) const {
  const record::Snapshot& snapshot = graph_.snapshots[process];
  const auto own = unrecorded_.find(snapshot.key);
  return std::ranges::any_of(
             snapshot.threads,
             [](const record::Thread& thread) { return thread.exists && thread.sleep.asleep; }) ||
         (own != unrecorded_.end() &&
          std::ranges::any_of(own->second,
                              [](const record::Sleeper* one) { return one->sleep.asleep; }));
}

void Wakers::add(const record::Sleep& sleep, record::ProcessKey own) {
  for (const record::ProcessKey key : sleep.wakers) add(key, sleep, own);
  for (const std::string& name : sleep.far_ends) {
    const auto [first, last] = graph_.holders_of_far_ends.equal_range(name);
    std::for_each(first, last, [&](const auto& holder) { add(holder.second, sleep, own); });
  }
}

void Wakers::add(record::ProcessKey waker, const record::Sleep& sleep, record::ProcessKey own) {
  const auto rank = of_key_.find(waker);
  if (waker != own && rank != of_key_.end()) {
    ranks_.push_back(rank->second);
  } else if (!sleep.may_idle || waker != own) {
    follow(waker, own);
  } else if (const std::int64_t one = sleep.joins != 0 ? sleep.joins : sleep.held_by; one != 0) {
    follow_one(waker, one);
  } else {
    follow_readers(waker);
  }
}

void Wakers::follow(record::ProcessKey process, record::ProcessKey own) {
  const auto found = unrecorded_.find(process);
  if (found == unrecorded_.end() || !followed_.insert(process).second) return;
  for (const record::Sleeper* one : found->second) {
    if (!one->sleep.for_signal) add(one->sleep, own);  // anybody may send one
  }
}

// Those in a box are looked at anyway.
void Wakers::follow_one(record::ProcessKey process, std::int64_t tid) {
  const auto found = unrecorded_.find(process);
  if (found == unrecorded_.end() || !ones_.insert(tid).second) return;
  for (const record::Sleeper* one : found->second) {
    if (one->tid == tid) add(one->sleep, process);
  }
}

void Wakers::follow_readers(record::ProcessKey process) {
  const auto found = unrecorded_.find(process);
  if (found == unrecorded_.end() || !read_.insert(process).second) return;
  for (const record::Sleeper* one : found->second) {
    if (one->sleep.at_one_file) add(one->sleep, process);
  }
}

}  // namespace gridlock::detect
