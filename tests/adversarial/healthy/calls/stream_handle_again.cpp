// Rank 0 has posted a receive whose message comes only after rank 0's next send. Between the two,
// it calls cudaStreamSynchronize on new streams, after it has destroyed the receive's stream (whose
// work goes on). A new stream may get the old handle.
// Naive view: streams are known by their handles.
// Expected: completes.
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
