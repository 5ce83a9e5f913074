// A thread that captures graphs on streams of its own, without a pause.
#pragma once

#include <atomic>
#include <thread>

#include "tests/adversarial/setup/graph.h"

class CapturesWithoutPause {
 public:
  ~CapturesWithoutPause() {
    ends_ = true;
    thread_.join();
  }

 private:
  void run() const {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    const cudaStream_t one = make_stream();
    const cudaStream_t other = make_stream();
    while (!ends_) {
      const cudaGraphExec_t graph = captured(one, [&] {
        for (int i = 0; i < 20; ++i) {
          after(other, one);
          after(one, other);
        }
      });
      check(cudaGraphExecDestroy(graph));
    }
  }

  std::atomic<bool> ends_ = false;
  std::thread thread_{[this] { run(); }};
};
