// Behind an all-reduce on the legacy stream, rank 0 makes an all-reduce of one rank in place on a
// blocking stream, and waits for that stream. NCCL enqueues nothing for it.
// Naive view: the call is work, which waits for the legacy stream. So would a mark behind it.
// Expected: completes.
#include "tests/adversarial/setup/alone.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return nothing_behind_the_legacy_stream(
      [](ncclComm_t own, cudaStream_t stream, float* data) { all_reduce(own, stream, data); });
}
