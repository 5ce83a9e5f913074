// What the recorder costs in a collective between processes: an all-reduce of 1 KiB on 4 ranks, one
// process each, alternately with and without the recorder in one run. Reports the median of each
// pair's ratio; an iteration is a batch of 500.
//
// The parent keeps both sets of rank processes alive and asks them for batches over pipes; a rank
// is this same program, started again.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>
#include <nccl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "harness/record/format.h"
#include "scenarios/runtime/source_location.h"

namespace {

constexpr int kRanks = 4;
constexpr int kBatch = 500;          // all-reduces a batch
constexpr std::size_t kCount = 256;  // floats: 1 KiB

void check(bool good, gridlock::SourceLocation where = gridlock::SourceLocation::current()) {
  if (good) return;
  std::cerr << where.file_name() << ":" << where.line() << ": failed: " << std::strerror(errno)
            << "\n";
  std::_Exit(1);
}

constexpr char kSynchronized = 's';  // requests for a batch: wait for each all-reduce,
constexpr char kPipelined = 'p';     // or for all of them at the end

// A rank: for each byte that arrives on `requests`, one batch, then a byte on `replies`.
[[noreturn]] void serve(int rank, const std::string& id_hex, int requests, int replies) {
  ncclUniqueId id{};
  if (rank == 0) {
    check(ncclGetUniqueId(&id) == ncclSuccess);
    check(write(replies, &id, sizeof id) == sizeof id);
  } else {
    for (std::size_t i = 0; i < sizeof id; ++i)
      id.internal[i] = static_cast<char>(std::stoi(id_hex.substr(2 * i, 2), nullptr, 16));
  }
  check(cudaSetDevice(rank) == cudaSuccess);
  ncclComm_t communicator = nullptr;
  check(ncclCommInitRank(&communicator, kRanks, id, rank) == ncclSuccess);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  void* data = nullptr;
  check(cudaMalloc(&data, kCount * sizeof(float)) == cudaSuccess);
  char token = 0;
  while (read(requests, &token, 1) == 1) {
    for (int i = 0; i < kBatch; ++i) {
      check(ncclAllReduce(data, data, kCount, ncclFloat, ncclSum, communicator, stream) ==
            ncclSuccess);
      if (token == kSynchronized) check(cudaStreamSynchronize(stream) == cudaSuccess);
    }
    check(cudaStreamSynchronize(stream) == cudaSuccess);
    check(write(replies, &token, 1) == 1);
  }
  std::_Exit(0);
}

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    check(pipe(ends.data()) == 0);
    read_end = ends[0];
    write_end = ends[1];
  }
  int read_end, write_end;
};

// Four rank processes, recorded or not. They end when their request pipes close.
class RankSet {
 public:
  explicit RankSet(bool recorded) {
    if (recorded) {
      for (int rank = 0; rank < kRanks; ++rank) {
        const int box = memfd_create("box", 0);
        check(box >= 0 && ftruncate(box, sizeof(gridlock::record::Box)) == 0);
        check(dup2(box, kFirstBox + rank) >= 0 && close(box) == 0);
      }
    }
    std::string id_hex = "-";
    for (int rank = 0; rank < kRanks; ++rank) {
      start(rank, id_hex, recorded);
      if (rank == 0) {
        ncclUniqueId id;
        check(read(replies_[0].read_end, &id, sizeof id) == sizeof id);
        id_hex.clear();
        for (const char byte : id.internal) {
          std::array<char, 3> text{};
          std::snprintf(text.data(), text.size(), "%02x", static_cast<unsigned char>(byte));
          id_hex += text.data();
        }
      }
    }
  }

  // Runs a batch on all ranks, and returns how many seconds that took.
  double batch(char how) {
    const auto begin = std::chrono::steady_clock::now();
    for (const Pipe& pipe : requests_) check(write(pipe.write_end, &how, 1) == 1);
    char token = 0;
    for (const Pipe& pipe : replies_) check(read(pipe.read_end, &token, 1) == 1);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  static constexpr int kFirstBox = 200;

  void start(int rank, const std::string& id_hex, bool recorded) {
    const pid_t child = fork();
    check(child >= 0);
    if (child != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Both sets are placed alike on the processors, because sharing one matters more than the
    // recorder.
    cpu_set_t mine;
    CPU_ZERO(&mine);
    CPU_SET(static_cast<unsigned>(rank) % static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN)),
            &mine);
    check(sched_setaffinity(0, sizeof mine, &mine) == 0);
    const auto index = static_cast<std::size_t>(rank);
    const std::string number = std::to_string(rank);
    setenv("LOCAL_RANK", number.c_str(), 1);
    setenv("RANK", number.c_str(), 1);
    setenv("WORLD_SIZE", std::to_string(kRanks).c_str(), 1);
    if (recorded) {
      const auto self = std::filesystem::read_symlink("/proc/self/exe");
      const auto recorder = self.parent_path().parent_path() / "libgridlock_recorder.so";
      check(std::filesystem::exists(recorder));
      setenv("LD_PRELOAD", recorder.c_str(), 1);
      const std::string boxes =
          "/proc/" + std::to_string(getppid()) + "/fd:" + std::to_string(kFirstBox);
      setenv("GRIDLOCK_BOXES", boxes.c_str(), 1);
    }
    execl("/proc/self/exe", "rank", number.c_str(), id_hex.c_str(),
          std::to_string(requests_[index].read_end).c_str(),
          std::to_string(replies_[index].write_end).c_str(), nullptr);
    std::_Exit(127);
  }

  std::array<Pipe, kRanks> requests_, replies_;
};

void all_reduce_1_kib(benchmark::State& state, char how) {
  RankSet plain(false);
  RankSet recorded(true);
  plain.batch(how);
  recorded.batch(how);
  std::vector<double> ratios, plain_times, recorded_times;
  for (auto _ : state) {
    const double without = plain.batch(how);
    const double with = recorded.batch(how);
    state.SetIterationTime(with);
    plain_times.push_back(without);
    recorded_times.push_back(with);
    ratios.push_back(with / without);
  }
  const auto median = [](std::vector<double> values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
  };
  state.counters["plain_us"] = 1e6 / kBatch * median(plain_times);
  state.counters["recorded_us"] = 1e6 / kBatch * median(recorded_times);
  state.counters["ratio_median"] = median(ratios);
}
BENCHMARK_CAPTURE(all_reduce_1_kib, synchronized, kSynchronized)->UseManualTime();
BENCHMARK_CAPTURE(all_reduce_1_kib, pipelined, kPipelined)->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[0]) == "rank")
    serve(std::stoi(argv[1]), argv[2], std::stoi(argv[3]), std::stoi(argv[4]));
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
