// Data-parallel training as PyTorch does it by default: kernels on the legacy stream, gradients on
// a stream of their own.
#pragma once

#include "tests/adversarial/setup/job.h"

class Ddp {
 public:
  // All-reduces a bucket; what is put on the legacy stream after it waits for it.
  void reduce() {
    all_reduce(world_, of_gradients_, gradients_);
    check(cudaEventRecord(reduced_, of_gradients_));
    check(cudaStreamWaitEvent(nullptr, reduced_, 0));
  }

  // Waits for what is on the legacy stream.
  void read_loss() {
    float loss = 0;
    check(cudaMemcpyAsync(&loss, gradients_, sizeof loss, cudaMemcpyDeviceToHost, nullptr));
    check(cudaStreamSynchronize(nullptr));
  }

 private:
  ncclComm_t world_ = join_world();
  cudaStream_t of_gradients_ = make_stream();
  float* gradients_ = device_floats();
  cudaEvent_t reduced_ = make_event();

  static cudaEvent_t make_event() {
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
  }
};
