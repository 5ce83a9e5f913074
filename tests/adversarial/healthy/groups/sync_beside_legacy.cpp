// A group broadcasts on a blocking stream, and then receives on the legacy stream. The host waits
// for the blocking stream, whose work came first, and then lets rank 1 send.
// Naive view: a mark that is put behind the group's work marks its end. It is new work of the
// blocking stream, waits for the receive, and so the recorder hangs the program.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  cudaStream_t blocking = make_stream(cudaStreamDefault);
  if (rank() == 1) {
    two.be_told(0);  // on the second communicator: the group's broadcast
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(ncclGroupStart());
    check(ncclBroadcast(two.y, two.y, 8, ncclFloat, 0, two.second, blocking));
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, nullptr));
    check(ncclGroupEnd());
    check(cudaStreamSynchronize(blocking));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
