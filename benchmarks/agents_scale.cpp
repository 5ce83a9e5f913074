// Agent 0's work in a large job: it reads, merges and judges a round of messages from all agents,
// twice, until the verdict. Also the size of those messages. The job is generated: 8 ranks per
// agent, 8 operations in flight per rank. Target: 200 ms for 1,000 agents on one core, and 1 KiB
// per agent when nothing has changed. `agents` is the argument. docs/scale.md has the figures.
#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "benchmarks/job_in_flight.h"
#include "harness/agents/delta.h"
#include "harness/detect/judge.h"

namespace {

using gridlock::agents::DeltaWriter;
using gridlock::agents::Reader;
using gridlock::agents::Writer;
using gridlock::detect::Judge;
using gridlock::record::Snapshot;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kRanksPerAgent = 8;
constexpr std::uint64_t kInFlight = 8;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// All ranks wait for the last one. It has exited before the call in which the others wait, or it is
// late.
std::vector<Snapshot> job(std::size_t agents, std::uint64_t past, bool exited) {
  return gridlock::benchmarks::job_in_flight({.ranks = static_cast<int>(agents * kRanksPerAgent),
                                              .in_flight = kInFlight,
                                              .past = past,
                                              .ranks_per_host = static_cast<int>(kRanksPerAgent)},
                                             exited);
}

// The side of each agent, and that of agent 0.
class Exchange {
 public:
  explicit Exchange(std::size_t agents) : received_(agents * kRanksPerAgent) {
    for (std::size_t i = 0; i < agents; ++i) writers_.emplace_back(kRanksPerAgent);
    for (std::size_t i = 0; i < received_.size(); ++i) received_[i].rank = static_cast<int>(i);
  }

  // What each agent sends of its part of `shown`.
  std::vector<std::string> write(const std::vector<Snapshot>& shown) {
    std::vector<std::string> messages;
    messages.reserve(writers_.size());
    for (std::size_t i = 0; i < writers_.size(); ++i) {
      Writer writer;
      writers_[i].write(std::span(shown).subspan(i * kRanksPerAgent, kRanksPerAgent), writer);
      messages.push_back(writer.take());
    }
    return messages;
  }

  const std::vector<Snapshot>& read(const std::vector<std::string>& messages) {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      Reader reader(messages[i]);
      read_delta(reader, std::span(received_).subspan(i * kRanksPerAgent, kRanksPerAgent));
      reader.end();
    }
    return received_;
  }

 private:
  std::vector<DeltaWriter> writers_;
  std::vector<Snapshot> received_;
};

double bytes_per_agent(const std::vector<std::string>& messages) {
  std::size_t sum = 0;
  for (const std::string& message : messages) sum += message.size();
  return static_cast<double>(sum) / static_cast<double>(messages.size());
}

// Measures agent 0 alone: reading and judging two rounds, and the words. Every other agent writes
// its messages on its own machine; `write_us` is what one agent takes for that.
void verdict(benchmark::State& state) {
  const auto agents = static_cast<std::size_t>(state.range(0));
  const std::vector<Snapshot> before = job(agents, 0, false);
  const std::vector<Snapshot> hung = job(agents, kInFlight, true);
  for (auto _ : state) {
    Exchange exchange(agents);
    Judge judge;
    const std::vector<std::string> first = exchange.write(before);
    judge.look(exchange.read(first));
    const Clock::time_point began_writing = Clock::now();
    const std::vector<std::string> moved = exchange.write(hung);
    const double write_s = seconds_since(began_writing);
    const std::vector<std::string> unchanged = exchange.write(hung);

    const Clock::time_point began = Clock::now();
    judge.look(exchange.read(moved));
    const bool proven = judge.look(exchange.read(unchanged)).proven;
    const auto verdict = judge.verdict();
    state.SetIterationTime(seconds_since(began));

    const bool right = proven && verdict.culprits == std::vector{hung.back().rank};
    if (!right) return state.SkipWithError("the deadlock or its culprit was not found");
    state.counters["bytes_first"] = bytes_per_agent(first);
    state.counters["bytes_moved"] = bytes_per_agent(moved);
    state.counters["bytes_unchanged"] = bytes_per_agent(unchanged);
    state.counters["write_us"] = write_s * 1e6 / static_cast<double>(agents);
  }
  state.SetComplexityN(state.range(0));
}

// A round of a job in which all ranks have moved since the last one, and one is late.
void healthy_round(benchmark::State& state) {
  const auto agents = static_cast<std::size_t>(state.range(0));
  Exchange exchange(agents);
  Judge judge;
  std::uint64_t past = 0;
  for (auto _ : state) {
    const std::vector<std::string> messages = exchange.write(job(agents, past, false));
    past += kInFlight;
    const Clock::time_point began = Clock::now();
    const bool dead = !judge.look(exchange.read(messages)).dead.empty();
    state.SetIterationTime(seconds_since(began));
    if (dead) return state.SkipWithError("called a healthy job dead");
  }
  state.SetComplexityN(state.range(0));
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(100)->Arg(1000)->Arg(10000)->Complexity(benchmark::oN);
  benchmark->Unit(benchmark::kMillisecond)->UseManualTime();
}

BENCHMARK(verdict)->Apply(sizes);
BENCHMARK(healthy_round)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
