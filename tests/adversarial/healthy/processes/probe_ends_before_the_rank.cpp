// A launcher starts two ranks. Rank 1 first runs a short program that looks at its device and
// ends, as scripts do that choose their settings, and then loads its data for 5 s before its own
// first call. Rank 0 waits for it in ncclCommInitRank.
// Naive view: the first process to use CUDA is the rank, and it has ended.
// Expected: completes.
#include "tests/adversarial/setup/probe.h"

constinit const Trial trial{
    .expect = completes(),
    .launcher =
        "export WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 10000))\n"
        "RANK=0 LOCAL_RANK=0 \"$0\" & RANK=1 LOCAL_RANK=1 \"$0\" & wait"};

int program(int argc, char** argv) {
  if (is_probe(argc, argv)) return probe(rank());
  if (rank() == 1) probe_and_load(argv, 5000);
  return train_below_a_launcher();
}
