// A root broadcasts 100 small messages and waits for them; the others come 300 ms later. A
// broadcast that fits the buffers waits for nobody.
// Naive view: a broadcast waits for everybody.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .ranks = 3};

int program(int, char**) {
  Two two;
  if (rank() == 1) {
    two.be_told(0);
  }
  for (int i = 0; i < 100; ++i) {
    check(ncclBroadcast(two.x, two.x, 64, ncclFloat, 0, two.first, two.on_first));
  }
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 0) two.tell();
  if (rank() == 2) two.be_told(0);
  check(cudaDeviceSynchronize());
  return 0;
}
