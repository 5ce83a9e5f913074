// In an open group, an all-reduce was called for the legacy stream. Then a blocking stream, which
// the legacy stream would hold back, gets work and is synchronized. Rank 1 reaches its all-reduce
// only when rank 0, after its group, has sent it a message. So the all-reduce that rank 0 seems to
// wait for inside the group itself waits for rank 0.
// Naive view: work on the legacy stream is ordered by its calls, even inside a group.
// Expected: completes.
// Must not say: deadlock; a group enqueues nothing before its end.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
  } else {
    hold(two.on_first);
    cudaStream_t blocking = make_stream(cudaStreamDefault);
    check(ncclGroupStart());
    all_reduce(two.first, nullptr, two.x);
    hold(blocking);
    check(cudaStreamSynchronize(blocking));
    check(ncclGroupEnd());
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
