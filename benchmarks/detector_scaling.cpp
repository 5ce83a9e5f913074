// What a verdict costs, from snapshots to words, as the job grows: 64 operations in flight per
// rank. Target: 100 ms for 16,384 ranks on one core, linear beyond. `ranks` is the argument.
#include <benchmark/benchmark.h>

#include <vector>

#include "benchmarks/job_in_flight.h"
#include "harness/detect/judge.h"

namespace {

using gridlock::detect::Judge;
using gridlock::record::Snapshot;

constexpr std::uint64_t kInFlight = 64;

// All ranks wait for the last one, which has exited, or is late but running.
std::vector<Snapshot> job(int ranks, bool exited) {
  return gridlock::benchmarks::job_in_flight({.ranks = ranks, .in_flight = kInFlight}, exited);
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
