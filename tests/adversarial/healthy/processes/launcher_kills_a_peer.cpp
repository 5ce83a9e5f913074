// Rank 0 is stuck in an all-reduce, and rank 1 in a read from a connection that rank 0 holds. The
// script that has started both finds rank 0 too slow and kills it. So rank 1 reads the connection's
// end, and finishes without it, as an elastic job does.
// Naive view: rank 1 waits for rank 0 alone, and no rank or helper is left to kill that.
// Expected: ends by itself.
#include <fstream>

#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{
    .expect = completes().or_as("crashes", "", {0}).or_as("fails", "", {0}),
    .launcher = R"(export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=$((20000 + $$ % 10000))
                   RANK=0 LOCAL_RANK=0 "$0" & first=$!
                   RANK=1 LOCAL_RANK=1 "$0" & second=$!
                   while ! [ -e "$ADVERSARIAL_FOLDER/waits" ]; do sleep 0.1; done
                   sleep 1.2; kill -9 $first; wait $second)",
    .leaves = "done"};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  if (rank() == 0) {
    std::ofstream(shared_file("waits")) << "yes";
    training.step();
  }
  char byte = 0;
  if (recv(peer, &byte, 1, 0) > 0) return 6;
  check(ncclCommAbort(training.world));
  std::ofstream(shared_file("done")) << "yes";
  return 0;
}
