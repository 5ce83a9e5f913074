// Each rank handles a request to end (SIGTERM). The script that has started them sends one to rank
// 0 after a while, and rank 0 gives up the communicator on which it waits. Naive view: who asks a
// rank to end is outside of the job. Expected: completes.
#include <fstream>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{
    .expect = completes(),
    .options = kStandsForLong,
    .launcher = R"(export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=$((20000 + $$ % 10000))
                   RANK=0 LOCAL_RANK=0 "$0" & first=$!
                   RANK=1 LOCAL_RANK=1 "$0" & second=$!
                   while ! [ -e "$ADVERSARIAL_FOLDER/waits" ]; do sleep 0.1; done
                   sleep 1.5; kill -TERM $first; wait $first && wait $second)"};

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    std::signal(SIGTERM, give_up);
    std::ofstream(shared_file("waits")) << "yes";
    return 0;
  });
  return 0;
}
