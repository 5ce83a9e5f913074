// NCCL's collectives between processes: time, algorithm bandwidth and bus bandwidth as nccl-tests
// defines them, in and out of place, each size verified. One process a rank, under the agent:
//
//   gridlock watch -n 4 --share-gpus -- benchmark_collectives_cuda [--most=BYTES] [--benchmark_…]
//
//   Source  NVIDIA/nccl-tests, doc/PERFORMANCE.md: bandwidths; a size is what the larger buffer
//           of a rank holds
//
// All ranks must make the same calls, so the number of iterations is fixed and not searched for.
// Built for both back ends; what the simulation takes says nothing about a GPU. Where ranks share a
// GPU they take turns on it: the context says so, and the figures mean no bandwidth.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/check.h"
#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {
namespace {

enum class Place { out, in };

// What a benchmark works with. `send` and `receive` hold as many floats as the largest size has.
struct World {
  Rank& rank;
  ncclComm_t communicator;
  cudaStream_t stream;
  Buffer<float> send;
  Buffer<float> receive;
  int n;
  int me;
};

// One operation on `count` floats of each rank's larger buffer; a block is count / n of them.
struct Operation {
  float* send;
  float* receive;
  std::size_t count;
  std::size_t block;
};

struct Collective {
  const char* name;
  bool in_blocks;  // count is a multiple of the number of ranks
  bool has_in_place;
  double (*bus_factor)(double n);
  void (*enqueue)(const World& world, const Operation& operation);
  // What rank `me` of `n` must find at place `i` of its result.
  float (*expected)(int n, int me, std::size_t block, std::size_t i);
  std::size_t (*results)(const Operation& operation);  // how many
};

// Small integers: every sum is exact.
float value(int rank, std::size_t i) {
  constexpr std::size_t kPeriod = 13;
  return static_cast<float>((3 * static_cast<std::size_t>(rank) + i) % kPeriod);
}

float sum(int n, std::size_t i) {
  float all = 0;
  for (int rank = 0; rank < n; ++rank) all += value(rank, i);
  return all;
}

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
std::size_t all_of(const Operation& operation) { return operation.count; }
double share_of_others(double n) { return (n - 1) / n; }
double once(double /*n*/) { return 1; }

const Collective kCollectives[]{
    {"all_reduce", false, true, [](double n) { return 2 * (n - 1) / n; },
     [](const World& world, const Operation& one) {
       check(ncclAllReduce(one.send, one.receive, one.count, ncclFloat32, ncclSum,
                           world.communicator, world.stream));
     },
     [](int n, int, std::size_t, std::size_t i) { return sum(n, i); }, all_of},
    {"all_gather", true, true, share_of_others,
     [](const World& world, const Operation& one) {
       const bool in_place = one.send == one.receive;
       check(ncclAllGather(in_place ? one.send + at(world.me) * one.block : one.send, one.receive,
                           one.block, ncclFloat32, world.communicator, world.stream));
     },
     [](int, int, std::size_t block, std::size_t i) {
       return value(static_cast<int>(i / block), i);
     },
     all_of},
    {"reduce_scatter", true, true, share_of_others,
     [](const World& world, const Operation& one) {
       const bool in_place = one.send == one.receive;
       check(ncclReduceScatter(one.send,
                               in_place ? one.receive + at(world.me) * one.block : one.receive,
                               one.block, ncclFloat32, ncclSum, world.communicator, world.stream));
     },
     [](int n, int me, std::size_t block, std::size_t i) { return sum(n, at(me) * block + i); },
     [](const Operation& operation) { return operation.block; }},
    {"broadcast", false, true, once,
     [](const World& world, const Operation& one) {
       check(ncclBroadcast(one.send, one.receive, one.count, ncclFloat32, 0, world.communicator,
                           world.stream));
     },
     [](int, int, std::size_t, std::size_t i) { return value(0, i); }, all_of},
    {"send_recv", false, false, once,  // to the right, from the left
     [](const World& world, const Operation& one) {
       check(ncclGroupStart());
       check(ncclSend(one.send, one.count, ncclFloat32, (world.me + 1) % world.n,
                      world.communicator, world.stream));
       check(ncclRecv(one.receive, one.count, ncclFloat32, (world.me + world.n - 1) % world.n,
                      world.communicator, world.stream));
       check(ncclGroupEnd());
     },
     [](int n, int me, std::size_t, std::size_t i) { return value((me + n - 1) % n, i); }, all_of},
    {"all_to_all", true, false, share_of_others,
     [](const World& world, const Operation& one) {
       check(ncclGroupStart());
       for (int peer = 0; peer < world.n; ++peer) {
         check(ncclSend(one.send + at(peer) * one.block, one.block, ncclFloat32, peer,
                        world.communicator, world.stream));
         check(ncclRecv(one.receive + at(peer) * one.block, one.block, ncclFloat32, peer,
                        world.communicator, world.stream));
       }
       check(ncclGroupEnd());
     },
     [](int, int me, std::size_t block, std::size_t i) {
       return value(static_cast<int>(i / block), at(me) * block + i % block);
     },
     all_of},
};

void upload(const std::vector<float>& from, float* to, const World& world) {
  check(cudaMemcpyAsync(to, from.data(), from.size() * sizeof(float), cudaMemcpyHostToDevice,
                        world.stream));
  check(cudaStreamSynchronize(world.stream));
}

// Makes the operation once on fresh data. Returns what is wrong with its result, or "".
std::string verify(const Collective& collective, const Operation& one, const World& world) {
  std::vector<float> numbers(one.count);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = value(world.me, i);
  if (std::strcmp(collective.name, "all_gather") == 0) {
    // The block that lies at this rank's place, also where it is sent from the front.
    for (std::size_t i = 0; i < one.block && one.send != one.receive; ++i) {
      numbers[i] = value(world.me, at(world.me) * one.block + i);
    }
  }
  upload(numbers, one.send, world);
  collective.enqueue(world, one);
  const bool scatters_in_place =
      one.send == one.receive && std::strcmp(collective.name, "reduce_scatter") == 0;
  const float* result = one.receive + (scatters_in_place ? at(world.me) * one.block : 0);
  numbers.resize(collective.results(one));
  check(cudaMemcpyAsync(numbers.data(), result, numbers.size() * sizeof(float),
                        cudaMemcpyDeviceToHost, world.stream));
  check(cudaStreamSynchronize(world.stream));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const float expected = collective.expected(world.n, world.me, one.block, i);
    if (numbers[i] == expected) continue;
    return "rank " + std::to_string(world.me) + " has " + std::to_string(numbers[i]) + " at " +
           std::to_string(i) + " instead of " + std::to_string(expected);
  }
  return "";
}

// What any rank has to say; every rank gets the same answer, so that all go on or none.
std::string agree(const std::string& mine, World& world) {
  for (const std::string& text : world.rank.rendezvous().exchange(mine)) {
    if (!text.empty()) return text;
  }
  return "";
}

// Seconds for one of `repetitions` operations that follow one another, averaged over the ranks as
// nccl-tests does by default.
double seconds_each(const Collective& collective, const Operation& one, int repetitions,
                    World& world) {
  using Clock = std::chrono::steady_clock;
  world.rank.rendezvous().exchange("");
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < repetitions; ++i) collective.enqueue(world, one);
  check(cudaStreamSynchronize(world.stream));
  const double mine = std::chrono::duration<double>(Clock::now() - begin).count() / repetitions;
  double total = 0;
  for (const std::string& theirs : world.rank.rendezvous().exchange(std::to_string(mine * 1e9))) {
    total += std::stod(theirs) / 1e9;
  }
  return total / world.n;
}

bool g_wrong = false;

void measure(benchmark::State& state, const Collective& collective, Place place, World& world) {
  const std::size_t asked = static_cast<std::size_t>(state.range(0)) / sizeof(float);
  const std::size_t block = std::max<std::size_t>(asked / at(world.n), 1);
  float* send = world.send.data();
  const Operation one{.send = send,
                      .receive = place == Place::in ? send : world.receive.data(),
                      .count = collective.in_blocks ? block * at(world.n) : asked,
                      .block = block};
  const std::string wrong = agree(verify(collective, one, world), world);
  if (!wrong.empty()) {
    g_wrong = true;
    state.SkipWithError(wrong.c_str());
    return;
  }
  constexpr std::size_t kSmall = std::size_t{1} << 20U;
  const int repetitions = one.count * sizeof(float) <= kSmall ? 20 : 5;
  seconds_each(collective, one, 2, world);
  double total = 0;
  for (auto _ : state) {
    const double seconds = seconds_each(collective, one, repetitions, world);
    state.SetIterationTime(seconds);
    total += seconds;
  }
  const double bytes = static_cast<double>(one.count * sizeof(float));
  const double algorithm = bytes * static_cast<double>(state.iterations()) / total;
  state.counters["bytes"] = bytes;
  state.counters["algbw"] = algorithm;  // bytes/s
  state.counters["busbw"] = algorithm * collective.bus_factor(world.n);
}

// From 8 B on, each eight times the one before.
std::vector<std::int64_t> sizes_to(std::int64_t most) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t bytes = 8; bytes <= most; bytes *= 8) sizes.push_back(bytes);
  if (sizes.empty() || sizes.back() < most) sizes.push_back(most);
  return sizes;
}

void add_benchmarks(World& world, std::int64_t most) {
  constexpr int kIterations = 3;
  for (const Collective& collective : kCollectives) {
    for (const Place place : {Place::out, Place::in}) {
      if (place == Place::in && !collective.has_in_place) continue;
      const std::string name =
          std::string(collective.name) + (place == Place::in ? "/in_place" : "");
      auto* added = benchmark::RegisterBenchmark(
          name.c_str(), [&collective, place, &world](benchmark::State& state) {
            measure(state, collective, place, world);
          });
      added->UseManualTime()->Unit(benchmark::kMicrosecond)->Iterations(kIterations);
      for (const std::int64_t bytes : sizes_to(most)) added->Arg(bytes);
    }
  }
}

// Rank 0 reports; the others only take part.
class Silent : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& /*runs*/) override {}
};

// Takes --most=BYTES out of the arguments, and of other ranks than 0 what writes files.
std::int64_t take_most(std::vector<char*>& arguments, int rank) {
  std::int64_t most = std::int64_t{1} << 30U;
  std::erase_if(arguments, [&](const char* argument) {
    constexpr const char* kMost = "--most=";
    if (std::strncmp(argument, kMost, std::strlen(kMost)) == 0) {
      const char* digits = argument + std::strlen(kMost);
      const auto [end, error] = std::from_chars(digits, digits + std::strlen(digits), most);
      if (error != std::errc() || *end != '\0' || most < 8 || most > (std::int64_t{1} << 36U)) {
        throw std::invalid_argument("--most takes a number of bytes from 8 on");
      }
      return true;
    }
    return rank != 0 && std::strncmp(argument, "--benchmark_out", 15) == 0;
  });
  return most;
}

void add_context(const World& world) {
  int nccl = 0;
  check(ncclGetVersion(&nccl));
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  benchmark::AddCustomContext("ranks", std::to_string(world.n));
  benchmark::AddCustomContext("nccl", std::to_string(nccl));
  benchmark::AddCustomContext("device", properties.name);
  const bool shared = device_count() < world.n;
  benchmark::AddCustomContext(
      "shared_gpu",
      shared ? "true: ranks take turns on a GPU, the figures mean no bandwidth" : "false");
}

int run(std::vector<char*> arguments) {
  const Environment environment = read_environment();
  const std::int64_t most = take_most(arguments, environment.rank);
  auto count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Rank rank(environment);
  const ncclComm_t communicator = open_communicator(rank, "world");
  // A block has at least one float.
  const auto floats = std::max(static_cast<std::size_t>(most) / sizeof(float),
                               static_cast<std::size_t>(rank.world_size()));
  World world{.rank = rank,
              .communicator = communicator,
              .stream = rank.stream(),
              .send = Buffer<float>(floats, rank.stream()),
              .receive = Buffer<float>(floats, rank.stream()),
              .n = rank.world_size(),
              .me = rank.rank()};
  add_benchmarks(world, most);
  if (world.me == 0) {
    add_context(world);
    benchmark::RunSpecifiedBenchmarks();
  } else {
    Silent silent;
    benchmark::RunSpecifiedBenchmarks(&silent);
  }
  close_communicator(communicator);
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
