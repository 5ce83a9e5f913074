// A hand-written run with its boxes: rank 1 of two has left, and rank 0 waits in its second
// all-reduce.
#pragma once

#include "harness/report/exports/kept.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {

inline record::Snapshot snapshot_of(int rank) {
  using namespace record;
  Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.world_size = 2;
  snapshot.pid = 100 + rank;
  snapshot.nccl_version = 22809;
  snapshot.last_change_ns = 9000000;
  snapshot.communicators.push_back(
      {.id = 0x7, .name = "world", .size = 2, .rank = rank, .messages = {}});
  snapshot.streams.push_back({.handle = 1,
                              .enqueued = rank == 0 ? 2U : 1U,
                              .started = rank == 0 ? 2U : 1U,
                              .completed = 1});
  Thread thread;
  thread.tid = 200 + rank;
  if (rank == 0) {
    thread.call = Call::stream_synchronize;
    thread.waits = Waits::stream;
    thread.since_ns = 9000000;
  }
  snapshot.threads.push_back(thread);
  for (std::uint64_t i = 0; i < (rank == 0 ? 2U : 1U); ++i) {
    Operation operation;
    operation.index = i;
    operation.time_ns =
        2000000 + static_cast<std::int64_t>(i) * 3000000 + std::int64_t{rank} * 1000;
    operation.call = Call::all_reduce;
    operation.datatype = 7;  // float32
    operation.communicator = 0;
    operation.stream = 0;
    operation.thread = 0;
    operation.slot = i;
    operation.count = 32;
    operation.position = i + 1;
    operation.launched = i + 1;
    operation.label = Label("gradients/bucket 0");
    snapshot.operations.push_back(operation);
  }
  return snapshot;
}

inline Results kept_session() {
  Results results = session();
  results.runs.resize(1);
  Run& run = results.runs.front();
  run.ranks = 2;
  run.verdict.culprits = {1};
  run.verdict.waiting.front().ranks = {0};
  run.verdict.faults.front().ranks = {1};
  return results;
}

inline std::vector<record::Snapshot> boxes_of(std::size_t run) {
  return run == 0 ? std::vector{snapshot_of(0), snapshot_of(1)} : std::vector<record::Snapshot>();
}

inline std::string no_caller(const record::Snapshot&, const record::Operation& operation) {
  return operation.slot == 1 ? "launch_bucket (reducer.cpp:88)" : "";
}

}  // namespace gridlock::report
