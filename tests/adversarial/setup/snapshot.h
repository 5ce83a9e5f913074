// A heap profiler forks in an allocation inside rank 0's launch: the child has a snapshot of the
// memory. Rank 0 goes on to an all-reduce that rank 1 makes only after rank 0's broadcast, and the
// broadcast only after the all-reduce.
#pragma once

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/slow_allocator.h"

inline pid_t snapshot = -1;

// `fork_there`: what the allocation does; it sets `snapshot`.
inline int fork_in_a_launch(void (*fork_there)()) {
  const Two two;
  if (rank() == 1) {
    pause_ms(1200);
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  cudaStream_t side = make_stream();
  t_in_allocation = fork_there;
  host_function(side);
  if (snapshot == 0) {
    pause_ms(300);
    _exit(0);
  }
  if (snapshot < 0) return 9;
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  two.tell();
  wait_for(snapshot);
  return 0;
}
