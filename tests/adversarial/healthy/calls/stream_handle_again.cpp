// Rank 0 has posted a receive whose answer depends on what it sends next. Between the two it calls
// cudaStreamSynchronize on new streams, after it destroyed the stream of the receive (whose work
// goes on): a new one may get the old handle. Naive: streams are known by their handles. Must be
// said: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, two.on_first));
    check(cudaStreamDestroy(two.on_first));
    for (int i = 0; i < 10; ++i) {
      cudaStream_t fresh = make_stream();
      hold(fresh);
      check(cudaStreamSynchronize(fresh));
      if (i % 2 == 0) check(cudaStreamDestroy(fresh));
    }
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
