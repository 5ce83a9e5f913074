// A communicator of this rank alone, whose collectives are copies.
#pragma once

#include <atomic>

#include "tests/adversarial/setup/job.h"

// Of a rank of `parent`.
inline ncclComm_t alone_in(ncclComm_t parent) {
  ncclComm_t made = nullptr;
  check(ncclCommSplit(parent, rank(), 0, &made, nullptr));
  return made;
}

// An all-reduce of one rank that is work: in place it would be none.
inline void copy(ncclComm_t own, cudaStream_t stream, float* data) {
  check(ncclAllReduce(data, data + 512, 512, ncclFloat, ncclSum, own, stream));
}

// Behind an all-reduce on the legacy stream, rank 0 calls `nothing`, which is to put no work on a
// blocking stream, and waits for that stream. Only then rank 1 comes to the all-reduce.
template <class Nothing>
int nothing_behind_the_legacy_stream(Nothing nothing) {
  const Two two;
  ncclComm_t own = alone_in(two.first);
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  float* data = device_floats();
  all_reduce(two.first, two.on_first, two.x);
  two.be_told(0);
  check(cudaDeviceSynchronize());
  if (rank() == 0) {
    all_reduce(two.first, nullptr, two.x);
    nothing(own, blocking, data);
    check(cudaStreamSynchronize(blocking));
    two.tell();
  } else {
    two.be_told(0);
    all_reduce(two.first, nullptr, two.x);
  }
  check(cudaDeviceSynchronize());
  return 0;
}

// Holds a stream until it is opened.
class Gate {
 public:
  void close(cudaStream_t stream) {
    check(cudaLaunchHostFunc(
        stream,
        [](void* gate) {
          while (!*static_cast<std::atomic<bool>*>(gate)) pause_ms(1);
        },
        &is_open_));
  }
  void open() { is_open_ = true; }

 private:
  std::atomic<bool> is_open_ = false;
};
