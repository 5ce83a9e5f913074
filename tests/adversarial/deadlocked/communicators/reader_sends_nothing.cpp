// Rank 5 reads data and sends batches to ranks 0 to 4. In the last step it sends none to rank 3 and
// goes on to the world's all-reduce. The others wait for rank 3 in their own communicator.
// Naive view: rank 3 alone is missing there, so it is to blame.
// Expected: deadlock; ranks 3 and 5, without whom nobody would wait in a circle.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {3, 5}), .ranks = 6};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t trainers = nullptr;
  check(ncclCommSplit(world, rank() == 5 ? NCCL_SPLIT_NOCOLOR : 0, rank(), &trainers, nullptr));
  cudaStream_t stream = make_stream();
  float* x = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (rank() == 5) {
      for (int p = 0; p < 5; ++p) {
        if (!(step == 2 && p == 3)) check(ncclSend(x, 1024, ncclFloat, p, world, stream));
      }
    } else {
      check(ncclRecv(x, 1024, ncclFloat, 5, world, stream));
      all_reduce(trainers, stream, x);
    }
    check(cudaStreamSynchronize(stream));
  }
  all_reduce(world, stream, x);
  check(cudaStreamSynchronize(stream));
  return 0;
}
