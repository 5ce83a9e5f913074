// A launcher starts the ranks. Rank 1 exits with code 3 before the last call. Only the launcher
// knows that code.
// Expected: deadlock, rank 1 is to blame.
// Must not say: "exited with code 0".
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("rank_exited", {1}),
    .ranks = 3,
    .launcher =
        "export WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 10000))\n"
        "for r in 0 1 2; do RANK=$r LOCAL_RANK=$r \"$0\" & done; wait",
    .says_not = {"exited with code 0"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1) return 3;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
