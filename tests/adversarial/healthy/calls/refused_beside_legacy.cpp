// A receive holds the legacy stream. A call on an idle blocking stream is refused, so the stream
// stays idle, and the host's wait for it returns. Then the host lets rank 1 send.
// Naive view: a mark before the call tells that the call has its turn. It is work of the blocking
// stream, waits for the receive, and so the recorder hangs the program.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  Two two;
  cudaStream_t blocking = make_stream(cudaStreamDefault);
  if (rank() == 1) {
    two.be_told(0);
    check(ncclSend(two.x, 8, ncclFloat, 0, two.first, two.on_first));
  } else {
    check(ncclRecv(two.x, 8, ncclFloat, 1, two.first, nullptr));
    constexpr int kNobody = 99;
    if (ncclSend(two.x, 8, ncclFloat, kNobody, two.first, blocking) == ncclSuccess) return 1;
    if (cudaLaunchHostFunc(blocking, nullptr, nullptr) == cudaSuccess) return 1;
    cudaGetLastError();
    check(cudaStreamSynchronize(blocking));
    two.tell();
  }
  check(cudaDeviceSynchronize());
  return 0;
}
