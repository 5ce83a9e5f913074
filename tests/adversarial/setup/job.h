// How every NCCL program with one process per GPU begins, so that each program here has only its
// own trick.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "scenarios/runtime/source_location.h"
#include "tests/adversarial/setup/trial.h"
#include "tests/end_to_end/programs/exchange_id.h"

using namespace adversarial;

inline void check(cudaError_t result,
                  gridlock::SourceLocation at = gridlock::SourceLocation::current()) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s:%u: %s\n", at.file_name(), at.line(), cudaGetErrorString(result));
  std::_Exit(3);
}

inline void check(ncclResult_t result,
                  gridlock::SourceLocation at = gridlock::SourceLocation::current()) {
  if (result == ncclSuccess) return;
  std::fprintf(stderr, "%s:%u: %s\n", at.file_name(), at.line(), ncclGetErrorString(result));
  std::_Exit(4);
}

inline int rank() { return number_from("RANK"); }
inline int ranks() { return number_from("WORLD_SIZE"); }
inline void pause_ms(unsigned milliseconds) { usleep(milliseconds * 1000); }

class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds time)
      : end_(std::chrono::steady_clock::now() + time) {}
  bool is_over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  std::chrono::steady_clock::time_point end_;
};
inline Deadline in_ms(int milliseconds) {
  return Deadline(std::chrono::milliseconds(milliseconds));
}

// Chooses this rank's device. Returns a communicator of all ranks.
inline ncclComm_t join_world() {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, ranks(), exchange_id(rank(), ranks()), rank()));
  return world;
}

// Another communicator of the same ranks.
inline ncclComm_t twin_of(ncclComm_t communicator) {
  ncclComm_t twin = nullptr;
  check(ncclCommSplit(communicator, 0, rank(), &twin, nullptr));
  return twin;
}

inline cudaStream_t make_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, flags));
  return stream;
}

inline float* device_floats(std::size_t count = 1024) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(float)));
  check(cudaMemset(memory, 0, count * sizeof(float)));
  return static_cast<float*>(memory);
}

inline void all_reduce(ncclComm_t comm, cudaStream_t stream, float* data,
                       std::size_t count = 1024) {
  check(ncclAllReduce(data, data, count, ncclFloat, ncclSum, comm, stream));
}

// Two communicators of all ranks, each with a stream and memory. A call on one ends a wait on the
// other.
struct Two {
  ncclComm_t first = join_world();
  ncclComm_t second = twin_of(first);
  cudaStream_t on_first = nullptr;
  cudaStream_t on_second = nullptr;
  float* x = nullptr;
  float* y = nullptr;

  explicit Two(unsigned flags = cudaStreamNonBlocking)
      : on_first(make_stream(flags)), on_second(make_stream()) {
    x = device_floats();
    y = device_floats();
  }
  // A message to all ranks on the second communicator, and the wait for it.
  void tell() const { check(ncclBroadcast(y, y, 8, ncclFloat, rank(), second, on_second)); }
  void be_told(int by) const {
    check(ncclBroadcast(y, y, 8, ncclFloat, by, second, on_second));
    check(cudaStreamSynchronize(on_second));
  }
};

// Rank 0 waits for an all-reduce that rank 1 makes only when rank 0 has told it to, after that.
inline void cross(const Two& two) {
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
}

// Holds up a stream for a while, like a long kernel.
inline void hold(cudaStream_t stream) {
  check(cudaLaunchHostFunc(
      stream, [](void*) { pause_ms(300); }, nullptr));
}

// Holds it up for longer than a proof with an assumption must stand under these options.
inline constexpr Texts kStandsBriefly{"--stall-limit", "500ms"};
inline void hold_for_long(cudaStream_t stream) {
  check(cudaLaunchHostFunc(
      stream, [](void*) { pause_ms(900); }, nullptr));
}

// A folder that all processes of one run share.
inline std::string shared_file(const std::string& name) {
  const char* folder = std::getenv("ADVERSARIAL_FOLDER");
  return std::string(folder == nullptr ? "." : folder) + "/" + name;
}
// The same for a semaphore or a queue, which has no folder. No other run has it.
inline std::string shared_name(const std::string& name) {
  std::string all = shared_file(name);
  std::replace(all.begin(), all.end(), '/', '_');
  return "/" + all;
}
