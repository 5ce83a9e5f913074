// What a verdict costs, from snapshots to words, as the job grows: 64 operations in flight a rank.
// Target: 100 ms for 16,384 ranks on one core, linear beyond. `ranks` is the argument.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "harness/detect/judge.h"

namespace {

using gridlock::detect::Judge;
using gridlock::record::Call;
using gridlock::record::Snapshot;

constexpr std::uint64_t kInFlight = 64;

Snapshot rank_in_flight(int rank, int ranks) {
  Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.world_size = ranks;
  snapshot.pid = 1000 + rank;
  snapshot.backend = "sim";
  snapshot.communicators.push_back({.id = 7,
                                    .name = "world",
                                    .size = ranks,
                                    .rank = rank,
                                    .device = 0,
                                    .state = gridlock::record::CommunicatorState::ready,
                                    .next_slot = kInFlight});
  gridlock::record::Stream stream;
  stream.non_blocking = true;
  stream.enqueued = kInFlight;
  stream.started = 1;
  snapshot.streams.push_back(stream);
  for (std::uint64_t at = 0; at < kInFlight; ++at) {
    gridlock::record::Operation operation;
    operation.index = at;
    operation.time_ns = static_cast<std::int64_t>(at) + 1;
    operation.call = Call::all_reduce;
    operation.datatype = 7;
    operation.communicator = 0;
    operation.stream = 0;
    operation.thread = 0;
    operation.slot = at;
    operation.count = 1 << 20;
    operation.position = at + 1;
    operation.callers = {0x401000, 0x402000};
    operation.label = gridlock::record::Label("gradients/bucket");
    snapshot.operations.push_back(operation);
  }
  gridlock::record::Thread thread;
  thread.tid = snapshot.pid;
  thread.call = Call::device_synchronize;
  thread.waits = gridlock::record::Waits::device;
  thread.since_ns = kInFlight + 1;
  snapshot.threads.push_back(thread);
  snapshot.modules.push_back({.begin = 0x400000, .end = 0x500000, .bias = 0, .path = "/opt/train"});
  return snapshot;
}

// All wait in order for one that is `exited`, or late but running.
std::vector<Snapshot> job(int ranks, bool exited) {
  std::vector<Snapshot> shown;
  shown.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank + 1 < ranks; ++rank) shown.push_back(rank_in_flight(rank, ranks));
  Snapshot last = rank_in_flight(ranks - 1, ranks);
  last.operations.clear();
  last.streams.front().enqueued = last.streams.front().started = 0;
  last.communicators.front().next_slot = 0;
  last.threads.front().waits = gridlock::record::Waits::nothing;
  if (exited) last.process = gridlock::record::ProcessState::exited;
  shown.push_back(last);
  return shown;
}

// The second look and the words: what a proof costs once the calls are in the ledger.
void deadlocked(benchmark::State& state) {
  const std::vector<Snapshot> shown = job(static_cast<int>(state.range(0)), true);
  Judge judge;
  judge.look(shown);
  for (auto _ : state) {
    if (!judge.look(shown).proven) return state.SkipWithError("not proven");
    benchmark::DoNotOptimize(judge.verdict());
  }
  state.SetComplexityN(state.range(0));
}

void healthy(benchmark::State& state) {
  const std::vector<Snapshot> shown = job(static_cast<int>(state.range(0)), false);
  Judge judge;
  judge.look(shown);
  for (auto _ : state) {
    if (!judge.look(shown).dead.empty()) return state.SkipWithError("called a healthy job dead");
  }
  state.SetComplexityN(state.range(0));
}

// The first look also takes all calls into the ledger.
void first_look(benchmark::State& state) {
  const std::vector<Snapshot> shown = job(static_cast<int>(state.range(0)), true);
  for (auto _ : state) {
    Judge judge;
    benchmark::DoNotOptimize(judge.look(shown));
  }
  state.SetComplexityN(state.range(0));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1024)->Arg(4096)->Arg(16384)->Arg(65536)->Complexity(benchmark::oN);
  benchmark->Unit(benchmark::kMillisecond);
}

BENCHMARK(deadlocked)->Apply(sizes);
BENCHMARK(healthy)->Apply(sizes);
BENCHMARK(first_look)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
