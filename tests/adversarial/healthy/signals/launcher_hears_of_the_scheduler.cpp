// As with Slurm's --signal=B:USR1: the scheduler (a process outside the job) sends USR1 to the
// batch script alone, whose trap asks rank 0 to end (TERM). Rank 0 handles that and gives up the
// communicator on which it waits.
// Naive view: the script sleeps in `wait`, so no launcher is left that could ask a rank to end.
// Expected: completes.
#include <csignal>
#include <fstream>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{
    .expect = completes(),
    .options = kStandsForLong,
    .launcher = R"(export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=$((20000 + $$ % 10000))
                   echo $$ > "$ADVERSARIAL_FOLDER/script"
                   trap 'kill -TERM $first' USR1
                   RANK=0 LOCAL_RANK=0 "$0" & first=$!
                   RANK=1 LOCAL_RANK=1 "$0" & second=$!
                   wait $first; wait $first; wait $second)",
    .outsider = true};

int program(int argc, char**) {
  if (argc > 1) {
    while (access(shared_file("waits").c_str(), F_OK) != 0) pause_ms(1);
    pause_ms(2500);
    int script = 0;
    std::ifstream(shared_file("script")) >> script;
    return kill(script, SIGUSR1);
  }
  const Training training;
  wait_until_given_up(training, [] {
    std::signal(SIGTERM, give_up);
    std::ofstream(shared_file("waits")) << "yes";
    return 0;
  });
  return 0;
}
