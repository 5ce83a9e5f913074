// NCCL's collectives between processes: time, algorithm bandwidth and bus bandwidth as nccl-tests
// defines them, in and out of place, each size verified. One process a rank, under the agent:
//
//   gridlock watch -n 4 --share-gpus -- benchmark_collectives_cuda [--most=BYTES] [--benchmark_…]
//   …  --one=all_reduce/in_place/67108864   one benchmark; each rank reports its own bandwidth
//
//   Source  NVIDIA/nccl-tests, doc/PERFORMANCE.md: bandwidths; a size is what the larger buffer
//           of a rank holds
//
// All ranks must make the same calls, so the number of iterations is fixed and not searched for.
// Built for both back ends. Times on the simulation say nothing about a GPU. Ranks that share a GPU
// take turns on it; the context then says so, and the figures are not a bandwidth.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/collective_operations.h"
#include "benchmarks/own_measurements.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/check.h"
#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {
namespace {

enum class Place { out, in };

// Returns the first fault that a rank has, or "". Every rank gets the same answer, so that all go
// on or none.
std::string agree(const std::string& mine, World& world) {
  for (const std::string& text : world.rank.rendezvous().exchange(mine)) {
    if (!text.empty()) return text;
  }
  return "";
}

// Seconds of this rank for one of `repetitions` operations that follow one another.
double seconds_each(const Collective& collective, const Operation& one, int repetitions,
                    World& world) {
  using Clock = std::chrono::steady_clock;
  world.rank.rendezvous().exchange("");
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) collective.enqueue(world, one);
  check(cudaStreamSynchronize(world.stream));
  return std::chrono::duration<double>(Clock::now() - begin).count() / repetitions;
}

// The average over all ranks, as nccl-tests computes it by default.
double average(double mine, World& world) {
  double total = 0;
  for (const std::string& theirs : world.rank.rendezvous().exchange(std::to_string(mine * 1e9))) {
    total += std::stod(theirs) / 1e9;
  }
  return total / world.n;
}

bool g_wrong = false;

bool is_refused(benchmark::State& state, const std::string& mine, World& world) {
  const std::string wrong = agree(mine, world);
  if (wrong.empty()) return false;
  g_wrong = true;
  world.rank.report().numbers(false, wrong);
  state.SkipWithError(wrong.c_str());
  return true;
}

// Measures with `seconds`, which returns this rank's time for one of a number of repetitions, and
// reports the bandwidths.
template <typename Seconds>
void time_it(benchmark::State& state, std::size_t bytes, double bus_factor, World& world,
             Seconds seconds) {
  constexpr std::size_t kSmall = std::size_t{1} << 20U;
  const int repetitions = bytes <= kSmall ? 20 : 5;
  seconds(2);
  double total = 0;
  double mine = 0;
  for (auto _ : state) {
    const double own = seconds(repetitions);
    const double all = average(own, world);
    state.SetIterationTime(all);
    total += all;
    mine += own;
  }
  const double moved = static_cast<double>(bytes) * static_cast<double>(state.iterations());
  state.counters["bytes"] = static_cast<double>(bytes);
  state.counters["algbw"] = moved / total;  // bytes/s
  state.counters["busbw"] = moved / total * bus_factor;
  world.rank.report().numbers(true, "");
  world.rank.report().figure("busbw_bytes_per_s", moved / mine * bus_factor);
}

void measure(benchmark::State& state, const Collective& collective, Place place, World& world) {
  const std::size_t asked = static_cast<std::size_t>(state.range(0)) / sizeof(float);
  const std::size_t block = std::max<std::size_t>(asked / at(world.n), 1);
  float* send = world.send.data();
  const Operation one{.send = send,
                      .receive = place == Place::in ? send : world.receive.data(),
                      .count = collective.in_blocks ? block * at(world.n) : asked,
                      .block = block};
  if (is_refused(state, verify(collective, one, world), world)) return;
  time_it(state, one.count * sizeof(float), collective.bus_factor(world.n), world,
          [&](int repetitions) { return seconds_each(collective, one, repetitions, world); });
}

void measure_own(benchmark::State& state, const OwnMeasurement& own, World& world) {
  const std::size_t count =
      std::max<std::size_t>(static_cast<std::size_t>(state.range(0)) / sizeof(float), 1);
  if (is_refused(state, own.verify(world, count), world)) return;
  time_it(state, count * sizeof(float), own.bus_factor, world,
          [&](int repetitions) { return own.seconds(world, count, repetitions); });
}

// Sizes from 8 B to `most`, each eight times the one before.
std::vector<std::int64_t> sizes_to(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 8; bytes <= most; bytes *= 8) sizes.push_back(bytes);
  if (sizes.empty() || sizes.back() < most) sizes.push_back(most);
  return sizes;
}

// What to measure: sizes up to `most`, or only `one` (a name without its size).
struct Asked {
  std::int64_t most = std::int64_t{1} << 30U;
  std::string one;  // "": all
};

// Registers `run` under `name` for the sizes to measure. Returns whether there are any.
template <typename Run>
bool add(const std::string& name, const Asked& asked, Run run) {
  if (!asked.one.empty() && asked.one != name) return false;
  constexpr int kIterations = 3;
  auto* added = benchmark::RegisterBenchmark(name.c_str(), run);
  added->UseManualTime()->Unit(benchmark::kMicrosecond)->Iterations(kIterations);
  const auto sizes = asked.one.empty() ? sizes_to(asked.most) : std::vector{asked.most};
  for (const std::int64_t bytes : sizes) added->Arg(bytes);
  return true;
}

//   Errors  std::invalid_argument when there is no benchmark with the name to measure
void add_benchmarks(World& world, const Asked& asked) {
  bool found = false;
  for (const Collective& collective : collectives()) {
    for (const Place place : {Place::out, Place::in}) {
      if (place == Place::in && !collective.has_in_place) continue;
      const std::string name =
          std::string(collective.name) + (place == Place::in ? "/in_place" : "");
      found |= add(name, asked, [&collective, place, &world](benchmark::State& state) {
        measure(state, collective, place, world);
      });
    }
  }
  for (const OwnMeasurement& own : own_measurements()) {
    if (rounds(world.n) == 0 && std::string_view(own.name) == "pair") continue;
    found |= add(own.name, asked,
                 [&own, &world](benchmark::State& state) { measure_own(state, own, world); });
  }
  if (!found) {
    throw std::invalid_argument(
        "--one takes OPERATION/BYTES or OPERATION/in_place/BYTES; there is "
        "no \"" +
        asked.one + "\" on " + std::to_string(world.n) + " ranks");
  }
}

// Rank 0 reports; the others only take part.
class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {}
};

//   Errors  std::invalid_argument
std::int64_t size_of(std::string_view digits, const char* option) {
  std::int64_t bytes = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (error != std::errc() || end != digits.data() + digits.size() || bytes < 8 ||
      bytes > (std::int64_t{1} << 36U)) {
    throw std::invalid_argument(std::string(option) + " takes a number of bytes from 8 on");
  }
  return bytes;
}

// Takes --most and --one out of the arguments. On ranks other than 0, takes out what writes files.
Asked take_asked(std::vector<char*>& arguments, int rank) {
  Asked asked;
  std::erase_if(arguments, [&](const char* text) {
    constexpr std::string_view kMost = "--most=";
    constexpr std::string_view kOne = "--one=";
    std::string_view argument = text;
    if (argument.starts_with(kMost)) {
      asked.most = size_of(argument.substr(kMost.size()), "--most");
      return true;
    }
    if (argument.starts_with(kOne)) {
      argument.remove_prefix(kOne.size());
      const std::size_t slash = argument.rfind('/');
      asked.one = argument.substr(0, slash);
      asked.most =
          size_of(slash == argument.npos ? "" : argument.substr(slash + 1), "--one=OPERATION/");
      return true;
    }
    return rank != 0 && argument.starts_with("--benchmark_out");
  });
  return asked;
}

// NCCL's variables, which choose the transport among other things.
std::string nccl_variables() {
  std::string all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    if (!variable.starts_with("NCCL_")) continue;
    if (!all.empty()) all += ' ';
    all += variable;
  }
  return all;
}

void add_context(const World& world) {
  int nccl = 0;
  check(ncclGetVersion(&nccl));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  benchmark::AddCustomContext("ranks", std::to_string(world.n));
  benchmark::AddCustomContext("nccl", std::to_string(nccl));
  benchmark::AddCustomContext("device", properties.name);
  benchmark::AddCustomContext("environment", nccl_variables());
  const bool shared = device_count() < world.n;
  benchmark::AddCustomContext(
      "shared_gpu",
      shared ? "true: ranks take turns on a GPU, the figures mean no bandwidth" : "false");
}

int run(std::vector<char*> arguments) {
  const Environment environment = read_environment();
  const Asked asked = take_asked(arguments, environment.rank);
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Rank rank(environment);
  const ncclComm_t communicator = open_communicator(rank, "world");
  // A block has at least one float.
  const auto floats = std::max(static_cast<std::size_t>(asked.most) / sizeof(float),
                               static_cast<std::size_t>(rank.world_size()));
  World world{.rank = rank,
              .communicator = communicator,
              .stream = rank.stream(),
              .send = Buffer<float>(floats, rank.stream()),
              .receive = Buffer<float>(floats, rank.stream()),
              .n = rank.world_size(),
              .me = rank.rank()};
  add_benchmarks(world, asked);
  if (world.me == 0) {
    add_context(world);
    benchmark::RunSpecifiedBenchmarks();
  } else {
    Silent silent;
    benchmark::RunSpecifiedBenchmarks(&silent);
  }
  close_communicator(communicator);
  if (!asked.one.empty()) {
    // Wrong numbers are in the benchmark's report; the rank itself completed.
    send_report(rank.report(), "completed", "");
    return 0;
  }
  return g_wrong ? 1 : 0;
}

}  // namespace
}  // namespace gridlock

int main(int argc, char** argv) {
  int code = 3;
  try {
    code = gridlock::run(std::vector<char*>(argv, argv + argc));
  } catch (const gridlock::CannotRunHere& missing) {
    std::fprintf(stderr, "collectives: %s\n", missing.what());
    code = 77;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "collectives: %s\n", error.what());
  }
  std::fflush(nullptr);
  std::_Exit(code);  // no destructor of CUDA or NCCL state runs: any of them may wait for a peer
}
