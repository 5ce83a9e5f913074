// Shared by the tests of the NCCL side: ranks as threads of this process, ranks as processes, and
// device memory that is easy to fill and to read.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/runtime/source_location.h"

namespace sim_test {

using gridlock::SourceLocation;

inline std::string at(const SourceLocation& where) {
  return " at line " + std::to_string(where.line());
}

inline void check(ncclResult_t result, SourceLocation where = SourceLocation::current()) {
  if (result == ncclSuccess) return;
  throw std::runtime_error(std::string(ncclGetErrorString(result)) + ": " +
                           ncclGetLastError(nullptr) + at(where));
}

inline void check_cuda(cudaError_t result, SourceLocation where = SourceLocation::current()) {
  if (result == cudaSuccess) return;
  throw std::runtime_error(cudaGetErrorString(result) + at(where));
}

inline void require(bool condition, const char* sentence,
                    SourceLocation where = SourceLocation::current()) {
  if (!condition) throw std::runtime_error(sentence + at(where));
}

// Device memory of the current device.
template <typename T>
class Device {
 public:
  explicit Device(std::size_t count, T value = {}) : count_(count) {
    void* memory = nullptr;
    check_cuda(cudaMalloc(&memory, count * sizeof(T) + 1));
    data_ = static_cast<T*>(memory);
    write(std::vector<T>(count, value));
  }
  explicit Device(const std::vector<T>& values) : Device(values.size()) { write(values); }
  // Does not free the memory, because that could wait for a stuck stream. The process's end frees
  // it.
  ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  T* data() const { return data_; }
  void write(const std::vector<T>& values) {
    check_cuda(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    check_cuda(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  std::size_t count_;
  T* data_ = nullptr;
};

// One rank: its device is current in the thread that runs it.
struct Rank {
  int rank = 0;
  int ranks = 0;
  ncclUniqueId id{};
  ncclComm_t comm = nullptr;
  cudaStream_t stream = nullptr;

  void make_stream() {
    check_cuda(cudaSetDevice(rank));
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  void init() { check(ncclCommInitRank(&comm, ranks, id, rank)); }
  void synchronize() const { check_cuda(cudaStreamSynchronize(stream)); }
  // All ranks must call it. NCCL connects in the first collective, which would block the host of a
  // rank that is alone in it.
  void connect(ncclComm_t to) const {
    const Device<int> one(1, 1);
    check(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, to, stream));
    synchronize();
  }
  bool pending() const { return cudaStreamQuery(stream) == cudaErrorNotReady; }
};

inline ncclConfig_t not_blocking() {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  return config;
}

inline ncclResult_t state(ncclComm_t comm) {
  ncclResult_t error = ncclSuccess;
  check(ncclCommGetAsyncError(comm, &error));
  return error;
}

// Blocks until nothing is in progress on `comm`, which is nonblocking.
inline void await(ncclComm_t comm, SourceLocation where = SourceLocation::current()) {
  while (state(comm) == ncclInProgress) sched_yield();
  check(state(comm), where);
}

// For calls on a nonblocking communicator.
inline void accept(ncclResult_t result, SourceLocation where = SourceLocation::current()) {
  if (result != ncclInProgress) check(result, where);
}

// Runs `body` in each of `ranks` threads. If one fails, the others would wait for it for ever, so
// the whole test program ends.
inline void as_threads(int ranks, const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(rank);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        std::_Exit(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Ranks as threads, each with a communicator of all and a stream; destroyed at the end.
inline void with_ranks(int ranks, const std::function<void(Rank&)>& body) {
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  as_threads(ranks, [&](int rank) {
    Rank self{.rank = rank, .ranks = ranks, .id = id};
    self.make_stream();
    self.init();
    body(self);
    if (self.comm != nullptr) check(ncclCommDestroy(self.comm));
    check_cuda(cudaStreamDestroy(self.stream));
  });
}

// Ranks as processes. Call it in a fresh process only (EXPECT_EXIT with style "threadsafe"): a
// forked child must not find a device in use. Rank 0 hands its unique id to the others over pipes.
//   Returns  the wait status of each rank
inline std::vector<int> as_processes(int ranks, const std::function<void(Rank&)>& body) {
  const auto count = static_cast<std::size_t>(ranks);
  std::vector<int> pipes(2 * count);
  for (std::size_t rank = 0; rank < count; ++rank) {
    if (pipe(&pipes[2 * rank]) != 0) std::abort();
  }
  std::vector<pid_t> children;
  for (int rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    try {
      Rank self{.rank = rank, .ranks = ranks};
      if (rank == 0) {
        check(ncclGetUniqueId(&self.id));
        for (std::size_t other = 1; other < count; ++other) {
          require(write(pipes[2 * other + 1], &self.id, sizeof self.id) > 0, "cannot tell the id");
        }
      } else {
        require(read(pipes[2 * static_cast<std::size_t>(rank)], &self.id, sizeof self.id) > 0,
                "no id came");
      }
      self.make_stream();
      body(self);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
      _exit(1);
    }
    _exit(0);
  }
  for (const int end : pipes) close(end);
  std::vector<int> statuses;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    statuses.push_back(status);
  }
  return statuses;
}

// Exits with the number of ranks that failed; for EXPECT_EXIT.
[[noreturn]] inline void run_processes(int ranks, const std::function<void(Rank&)>& body) {
  int failures = 0;
  for (const int status : as_processes(ranks, body)) failures += status != 0 ? 1 : 0;
  _exit(failures);
}

// A second communicator of the same ranks, to show that they can still make progress. An operation
// that is still pending after fifty rounds on it waits for something that never comes.
class Witness {
 public:
  explicit Witness(const Rank& rank) : number_(1) {
    check(ncclCommSplit(rank.comm, 0, rank.rank, &comm_, nullptr));
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    round();  // while NCCL connects, it frees memory, which waits for all work on the device
  }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() = default;

  void fifty_rounds() {
    for (int i = 0; i < 50; ++i) round();
  }
  void close() { check(ncclCommDestroy(comm_)); }

 private:
  void round() {
    check(ncclAllReduce(number_.data(), number_.data(), 1, ncclInt32, ncclMax, comm_, stream_));
    check_cuda(cudaStreamSynchronize(stream_));
  }

  Device<int> number_;
  ncclComm_t comm_ = nullptr;
  cudaStream_t stream_ = nullptr;
};

}  // namespace sim_test
