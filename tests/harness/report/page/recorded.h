// The boxes of a run in which the last rank has made one call fewer.
#pragma once

#include <vector>

#include "harness/report/page/timeline.h"

namespace gridlock::report {

inline record::Snapshot rank_with(int rank, int operations, int completed,
                                  const char* label = "gradients/bucket 0") {
  record::Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.world_size = 4;
  snapshot.host = "here";
  snapshot.recorded = static_cast<std::uint64_t>(operations);
  record::Communicator world;
  world.id = 7;
  world.name = "world";
  world.size = 4;
  world.rank = rank;
  snapshot.communicators.push_back(world);
  record::Stream stream;
  stream.enqueued = static_cast<std::uint64_t>(operations);
  stream.started = static_cast<std::uint64_t>(operations);
  stream.completed = static_cast<std::uint64_t>(completed);
  snapshot.streams.push_back(stream);
  record::Thread thread;
  thread.tid = 100 + rank;
  snapshot.threads.push_back(thread);
  for (int i = 0; i < operations; ++i) {
    record::Operation operation;
    operation.index = static_cast<std::uint64_t>(i);
    operation.time_ns = 1'000'000 + 20'000 * i + 100 * rank;
    operation.call = record::Call::all_reduce;
    operation.communicator = 0;
    operation.stream = 0;
    operation.thread = 0;
    operation.slot = static_cast<std::uint64_t>(i);
    operation.count = 64;
    operation.position = static_cast<std::uint64_t>(i) + 1;
    operation.launched = static_cast<std::uint64_t>(i) + 1;
    operation.label = record::Label(label);
    snapshot.operations.push_back(operation);
  }
  return snapshot;
}

inline std::vector<record::Snapshot> last_rank_short(int ranks = 4, int steps = 8,
                                                     const char* label = "gradients/bucket 0") {
  std::vector<record::Snapshot> all;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool is_last = rank == ranks - 1;
    all.push_back(rank_with(rank, is_last ? steps - 1 : steps, steps - 1, label));
    if (is_last) all.back().process = record::ProcessState::exited;
  }
  return all;
}

inline detect::Verdict last_to_blame(int ranks = 4) {
  detect::Verdict verdict;
  verdict.outcome = detect::Outcome::deadlock;
  verdict.cause = detect::Cause::rank_exited;
  verdict.culprits = {ranks - 1};
  verdict.faults.push_back({.ranks = {ranks - 1}, .what = detect::phrase::Ended{}});
  return verdict;
}

inline std::string timeline_with(const std::vector<record::Snapshot>& snapshots,
                                 const detect::Verdict& verdict) {
  return timeline_json({.snapshots = snapshots,
                        .verdict = &verdict,
                        .names = nullptr,
                        .picture = nullptr,
                        .marks = {.started_ns = 500'000,
                                  .last_progress_ns = 1'140'000,
                                  .proven_ns = 2'000'000,
                                  .decided_ns = 2'100'000,
                                  .killed_ns = 2'200'000},
                        .name_of = {}});
}

}  // namespace gridlock::report
