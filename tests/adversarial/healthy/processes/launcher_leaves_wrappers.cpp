// As launcher_leaves_a_proxy, but with a wrapper for each rank. The one of rank 1, which is above
// no rank any more, ends rank 0. Naive view: who is above no rank of the job ends none.
// Expected: ends by itself; the launcher fails, which alone knows how the ranks ended.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = ends("fails", "", {}),
                            .launcher = R"(
  export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + $$ % 10000))
  sh -c 'RANK=0 LOCAL_RANK=0 "$0" & echo $! > "$ADVERSARIAL_FOLDER/first"; wait $!' "$0" &
  sh -c 'RANK=1 LOCAL_RANK=1 "$0"; touch "$ADVERSARIAL_FOLDER/failed"
         sleep 0.7; kill -9 $(cat "$ADVERSARIAL_FOLDER/first")' "$0" &
  while ! [ -e "$ADVERSARIAL_FOLDER/failed" ]; do sleep 0.05; done
  exit 1)",
                            .says = {"The launcher exited with code 1."}};

int program(int, char**) { return rank_1_fails(); }
