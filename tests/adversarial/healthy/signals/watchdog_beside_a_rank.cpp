// Rank 0's start script puts a watchdog into the background and then becomes `flock`, which holds
// the device's lock and runs the rank. The watchdog asks the rank to end (SIGTERM), which gives
// up the communicator on which it waits.
// Naive view: all that is above the rank sleeps, and the rank has not started the watchdog.
// Expected: completes.
#include <fstream>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{
    .expect = completes(),
    .launcher = R"(export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=$((20000 + $$ % 10000))
                   cd "$ADVERSARIAL_FOLDER"
                   RANK=0 LOCAL_RANK=0 sh -c '
                     (while ! [ -e waits ]; do sleep 0.1; done; sleep 1; kill -TERM $(cat waits)) &
                     exec flock lock "$0"' "$0" &
                   first=$!
                   RANK=1 LOCAL_RANK=1 "$0" & second=$!
                   wait $first && wait $second)"};

int program(int, char**) {
  const Training training;
  wait_until_given_up(training, [] {
    std::signal(SIGTERM, give_up);
    std::ofstream(shared_file("waits.new")) << getpid();
    std::rename(shared_file("waits.new").c_str(), shared_file("waits").c_str());
    return 0;
  });
  return 0;
}
