// What comes between two blocking streams. Work on the legacy stream does: CUDA orders it after the
// one and before the other.
#pragma once

#include "tests/adversarial/setup/job.h"

// Rank 0 has an all-reduce on a blocking stream, makes the calls `between`, and tells rank 1 on
// another blocking stream, which may take its time first. Only then does rank 1 come. So this hangs
// if any of the calls is work on the legacy stream.
template <class Between>
int tell_behind(Two& two, bool takes_its_time, Between between) {
  cudaStream_t other = make_stream(cudaStreamDefault);
  if (rank() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    between();
    if (takes_its_time) hold_for_long(other);
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, other));
    check(cudaStreamSynchronize(other));
  } else {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  }
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
