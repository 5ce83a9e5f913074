// A generated job for benchmarks of the detector: every rank has all-reduces in flight and waits
// for the device.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::benchmarks {

struct Load {
  int ranks = 1;
  std::uint64_t in_flight = 0;  // all-reduces of each rank that are called but not completed
  std::uint64_t past = 0;       // all-reduces that are completed
  int ranks_per_host = 0;       // 0: the host has no name
};

constexpr std::int64_t kCallEveryNs = 1'000'000;

inline record::Operation all_reduce(std::uint64_t number) {
  record::Operation operation;
  operation.index = number;
  operation.time_ns = static_cast<std::int64_t>(number) * kCallEveryNs + 1;
  operation.call = record::Call::all_reduce;
  operation.datatype = 7;
  operation.communicator = 0;
  operation.stream = 0;
  operation.thread = 0;
  operation.slot = number;
  operation.count = 1 << 20;
  operation.position = number + 1;
  operation.called = number;
  operation.launched = number + 1;
  operation.callers = {0x401000, 0x402000};
  operation.label = record::Label("gradients/bucket");
  return operation;
}

inline record::Snapshot rank_in_flight(int rank, const Load& load) {
  const std::uint64_t end = load.past + load.in_flight;
  record::Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.world_size = load.ranks;
  snapshot.pid = 1000 + rank;
  if (load.ranks_per_host > 0) snapshot.host = "node" + std::to_string(rank / load.ranks_per_host);
  snapshot.backend = "sim";
  snapshot.recorded = end;
  record::Communicator world;
  world.id = 7;
  world.name = "world";
  world.size = load.ranks;
  world.rank = rank;
  world.state = record::CommunicatorState::ready;
  world.next_slot = end;
  snapshot.communicators.push_back(std::move(world));
  record::Stream stream;
  stream.non_blocking = true;
  stream.enqueued = end;
  stream.started = load.past + 1;
  stream.completed = load.past;
  snapshot.streams.push_back(stream);
  for (std::uint64_t number = load.past; number < end; ++number) {
    snapshot.operations.push_back(all_reduce(number));
  }
  record::Thread thread;
  thread.tid = snapshot.pid;
  thread.call = record::Call::device_synchronize;
  thread.waits = record::Waits::device;
  thread.epoch = load.past;
  thread.since_ns = static_cast<std::int64_t>(end) * kCallEveryNs;
  thread.launches = end;
  snapshot.threads.push_back(thread);
  snapshot.modules.push_back({.begin = 0x400000, .end = 0x500000, .bias = 0, .path = "/opt/train"});
  return snapshot;
}

// All ranks wait for the last one, which has `exited`, or is late but running.
inline std::vector<record::Snapshot> job_in_flight(const Load& load, bool exited) {
  std::vector<record::Snapshot> shown;
  shown.reserve(static_cast<std::size_t>(load.ranks));
  for (int rank = 0; rank < load.ranks; ++rank) shown.push_back(rank_in_flight(rank, load));
  record::Snapshot& last = shown.back();
  last.operations.clear();
  last.streams.front().enqueued = last.streams.front().started = load.past;
  last.communicators.front().next_slot = load.past;
  last.threads.front().waits = record::Waits::nothing;
  last.recorded = load.past;
  if (exited) last.process = record::ProcessState::exited;
  return shown;
}

}  // namespace gridlock::benchmarks
