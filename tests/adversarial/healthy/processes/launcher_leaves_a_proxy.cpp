// A launcher starts the ranks by a proxy, as MPICH's mpiexec does. Rank 1 fails, and the launcher
// ends at once. The proxy notices that, and ends rank 0, which waits for rank 1.
// Naive view: the launcher has ended, so nobody is left who could end the others.
// Expected: ends by itself; the launcher fails, which alone knows how the ranks ended.
// Must not happen: rank 0 is called dead before the proxy has come to it.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = ends("fails", "", {}),
                            .launcher = R"(
  export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 10000))
  sh -c 'RANK=0 LOCAL_RANK=0 "$0" & first=$!
         RANK=1 LOCAL_RANK=1 "$0" & second=$!
         wait $second; touch "$ADVERSARIAL_FOLDER/failed"
         sleep 0.7; kill -9 $first; wait $first' "$0" &
  while ! [ -e "$ADVERSARIAL_FOLDER/failed" ]; do sleep 0.05; done
  exit 1)",
                            .says = {"The launcher exited with code 1."}};

int program(int, char**) { return rank_1_fails(); }
