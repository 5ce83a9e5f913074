// Each rank runs under `timeout`. Rank 0's asks it to end (SIGTERM) after 4 s, and rank 0 gives
// up the communicator on which it waits.
// Naive view: no launcher asks a rank to end.
// Expected: completes.
#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{
    .expect = completes().or_as("fails", "", {0}),
    .options = kStandsForLong,
    .launcher = R"(export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=$((20000 + $$ % 10000))
                   RANK=0 LOCAL_RANK=0 timeout 4 "$0" &
                   RANK=1 LOCAL_RANK=1 timeout 20 "$0" & second=$!
                   wait $second)"};

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    std::signal(SIGTERM, give_up);
    return 0;
  });
  return 0;
}
