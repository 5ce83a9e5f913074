// A thread for checkpoints that has been silent so far.
#pragma once

#include <thread>

#include "tests/adversarial/setup/job.h"

// Rank 0 waits for a broadcast by rank 1, which rank 1's thread for checkpoints calls once it has
// slept: its first recorded call. Rank 1's main thread waits for rank 0 meanwhile.
template <class Sleep>
int first_call_after(Sleep sleep) {
  const Two both;
  std::thread checkpoints;
  if (rank() == 0) both.be_told(1);
  if (rank() == 1) {
    checkpoints = std::thread([&] {
      sleep();
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      both.tell();
    });
  }
  all_reduce(both.first, both.on_first, both.x);
  check(cudaStreamSynchronize(both.on_first));
  if (checkpoints.joinable()) checkpoints.join();
  return 0;
}
