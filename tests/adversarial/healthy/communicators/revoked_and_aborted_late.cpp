// A communicator is revoked early and aborted much later, when 256 others have been made meanwhile.
// Then rank 0 comes late to a collective on the last of these.
// Naive view: a revoked communicator is over, so its entry may be used again, and its handle means
// that entry.
// Expected: completes.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const ncclComm_t world = join_world();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclComm_t faulty = twin_of(world);
  check(ncclCommRevoke(faulty, NCCL_REVOKE_DEFAULT));
  for (int i = 0; i < 254; ++i) {
    ncclComm_t child = nullptr;
    check(ncclCommSplit(world, 0, rank(), &child, nullptr));
    check(ncclCommDestroy(child));
  }
  ncclComm_t last = twin_of(world);
  if (rank() == 0) {
    check(ncclCommAbort(faulty));
    pause_ms(800);
  }
  all_reduce(last, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1) check(ncclCommAbort(faulty));
  return 0;
}
