// A cluster tells rank 0 alone that its machine is needed (SIGTERM). After its step, rank 0 goes
// to save a checkpoint, which is a barrier on a second communicator. The others have heard
// nothing and go on with the next step.
// Naive view: a rank that handles a signal may still get one.
// Expected: deadlock; rank 0 is missing (or the cycle of all).
#include <csignal>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {0}).assuming("asks a rank to end"),
    .ranks = 3,
    .options = kStandsBriefly,
    .launcher = R"(export WORLD_SIZE=3 LOCAL_WORLD_SIZE=3 MASTER_PORT=$((20000 + $$ % 10000))
                   RANK=0 LOCAL_RANK=0 "$0" & first=$!
                   RANK=1 LOCAL_RANK=1 "$0" &
                   RANK=2 LOCAL_RANK=2 "$0" &
                   sleep 2; kill -TERM $first; wait)"};

namespace {
volatile std::sig_atomic_t g_noticed = 0;
}

int program(int, char**) {
  std::signal(SIGTERM, [](int) { g_noticed = 1; });
  const Two two;
  for (int step = 0; step < 10000; ++step) {
    pause_ms(5);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    if (g_noticed == 0) continue;
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
    return 0;
  }
  return 0;
}
