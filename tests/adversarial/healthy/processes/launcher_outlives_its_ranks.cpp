// The launcher needs 1.5 s after its ranks have ended, as mpiexec does on a crowded machine, and
// the stall limit is half a second.
// Naive view: nothing moves any more, so the job stalls.
// Expected: completes.
// Must not say: stall.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes(),
                            .options = kStandsBriefly,
                            .launcher = R"(
  export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 10000))
  RANK=0 LOCAL_RANK=0 "$0" & RANK=1 LOCAL_RANK=1 "$0" & wait
  sleep 1.5)",
                            .says_not = {"stall"}};

int program(int, char**) {
  const Training training;
  training.step();
  return 0;
}
