// Each step is a group: a send on the legacy stream and a receive on a blocking stream. Rank 1
// leaves one out, and goes on to a collective on another communicator.
// Naive view: the end of a group on the blocking stream is not marked, because the mark would wait
// for the legacy stream, so the receive may be over.
// Expected: deadlock. The group ends on both streams at once, and the legacy stream shows it.
// Nothing shows whether a kernel stands in front of it there, which might fail.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("no kernel")};

int program(int, char**) {
  ncclComm_t const messages = join_world();
  ncclComm_t gradients = nullptr;
  check(ncclCommSplit(messages, 0, rank(), &gradients, nullptr));
  cudaStream_t blocking = nullptr;
  check(cudaStreamCreate(&blocking));
  cudaStream_t const other = make_stream();
  float* const x = device_floats();
  float* const y = device_floats();
  const int peer = 1 - rank();
  for (int step = 0; step < 10; ++step) {
    if (step == 7 && rank() == 1) break;
    check(ncclGroupStart());
    check(ncclSend(x, 8, ncclFloat, peer, messages, nullptr));
    check(ncclRecv(y, 8, ncclFloat, peer, messages, blocking));
    check(ncclGroupEnd());
    check(cudaStreamSynchronize(blocking));
  }
  all_reduce(gradients, other, x);
  check(cudaStreamSynchronize(other));
  return 0;
}
