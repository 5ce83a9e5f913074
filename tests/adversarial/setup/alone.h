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
