// Rank 0 waits for its helper's byte in a pipe. The helper sleeps at a pipe that rank 0 writes to.
// It has a socket that signals (O_ASYNC); its handler of IO writes the byte. A datagram comes from
// outside the job.
// Naive view: only rank 0 could wake the helper.
// Expected: completes.
#include "tests/adversarial/setup/answering_helper.h"
#include "tests/adversarial/setup/datagram.h"

constinit const Trial trial{.expect = completes(), .outsider = true};

int program(int argc, char**) {
  if (argc > 1) return send_datagram(2500);
  wait_for_an_answering_helper(SIGIO, [] { SignallingSocket().announce(); });
  return 0;
}
