// A host function that holds a stream until the program opens it.
#pragma once

#include <atomic>

#include "tests/adversarial/setup/job.h"

class Gate {
 public:
  // Enqueues it.
  void close(cudaStream_t stream) {
    const auto wait = [](void* gate) {
      while (!static_cast<Gate*>(gate)->is_open_) pause_ms(1);
    };
    check(cudaLaunchHostFunc(stream, wait, this));
  }
  void open() { is_open_ = true; }

 private:
  std::atomic<bool> is_open_ = false;
};
