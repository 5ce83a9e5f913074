// An alarm's handler jumps out of a hung wait (siglongjmp), as a test with a time limit does. The
// rank then works on the host for a while, and aborts its communicator.
// Naive view: the box says that the thread is in cudaStreamSynchronize.
// Expected: it ends by itself; that the calls did not match is all that may be said.
#include <csetjmp>
#include <csignal>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes().or_as("corrupts", "mismatch", {0, 1}),
                            .options = kStandsBriefly};

namespace {
sigjmp_buf g_before;
}

int program(int argc, char** argv) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  std::signal(SIGALRM, [](int) { siglongjmp(g_before, 1); });
  if (sigsetjmp(g_before, 1) == 0) {
    alarm(1);
    // Of different sizes, so it never completes.
    all_reduce(world, stream, data, rank() == 0 ? 8 : 16);
    check(cudaStreamSynchronize(stream));
  }
  std::signal(SIGALRM, SIG_DFL);
  const Deadline computed = in_ms(argc > 1 ? atoi(argv[1]) : 2000);
  while (!computed.is_over()) pause_ms(1);
  check(ncclCommAbort(world));
  return 0;
}
