// Behind an all-reduce on the legacy stream, rank 0 sends to itself on a blocking stream, from
// where it receives, and waits for that stream. NCCL drops both messages. Naive view: the group is
// work, which waits for the legacy stream. Expected: completes.
#include "tests/adversarial/setup/alone.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return nothing_behind_the_legacy_stream([](ncclComm_t own, cudaStream_t stream, float* data) {
    check(ncclGroupStart());
    check(ncclSend(data, 8, ncclFloat, 0, own, stream));
    check(ncclRecv(data, 8, ncclFloat, 0, own, stream));
    check(ncclGroupEnd());
  });
}
