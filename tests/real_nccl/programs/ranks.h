// A rank of a test: its device, its stream, a communicator of all ranks, and checked calls.
#pragma once

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rendezvous.h"
#include "scenarios/runtime/source_location.h"

inline int number_from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

[[noreturn]] inline void give_up(const std::string& why, const gridlock::SourceLocation& at) {
  std::fprintf(stderr, "rank %d: %s (line %u)\n", number_from("RANK"), why.c_str(), at.line());
  std::fflush(stderr);
  std::_Exit(1);
}
inline void check(cudaError_t error,
                  gridlock::SourceLocation at = gridlock::SourceLocation::current()) {
  if (error != cudaSuccess) give_up(cudaGetErrorString(error), at);
}
inline void check(ncclResult_t result,
                  gridlock::SourceLocation at = gridlock::SourceLocation::current()) {
  if (result == ncclSuccess) return;
  give_up(std::string(ncclGetErrorString(result)) + ": " + ncclGetLastError(nullptr), at);
}
inline void expect(bool holds, const std::string& what,
                   gridlock::SourceLocation at = gridlock::SourceLocation::current()) {
  if (!holds) give_up("not so: " + what, at);
}

struct Ranks {
  int rank = number_from("RANK");
  int size = number_from("WORLD_SIZE");
  ncclUniqueId id{};
  ncclComm_t all = nullptr;
  cudaStream_t stream = nullptr;

  // Rank 0 gives the others its id. NCCL_COMM_ID would not do: up to 2.21, each rank would get
  // another magic number with it.
  Ranks() {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    if (rank == 0) check(ncclGetUniqueId(&id));
    gridlock::Rendezvous meeting(gridlock::read_environment());
    meeting.exchange(std::string(id.internal, sizeof id.internal))
        .front()
        .copy(id.internal, sizeof id.internal);
  }

  void open() { check(ncclCommInitRank(&all, size, id, rank)); }

  void close() {
    check(ncclCommDestroy(all));
    check(cudaStreamDestroy(stream));
  }
};

// Device memory that begins with `values`, and its later contents.
template <class Value>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<Value>& values) : count_(values.size()) {
    check(cudaMalloc(&data_, bytes()));
    check(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  OnDevice(const OnDevice&) = delete;
  ~OnDevice() { static_cast<void>(cudaFree(data_)); }
  void* data() { return data_; }
  std::vector<Value> values() const {
    std::vector<Value> all(count_);
    check(cudaMemcpy(all.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return all;
  }

 private:
  std::size_t bytes() const { return count_ * sizeof(Value); }
  std::size_t count_;
  void* data_ = nullptr;
};
