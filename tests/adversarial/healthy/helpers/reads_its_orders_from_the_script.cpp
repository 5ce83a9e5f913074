// Rank 0 reads its next order from its standard input, a pipe of the script that has started it.
// The script's first command sleeps before it writes the order. Naive view: rank 0 reads what
// nobody writes. Expected: completes.
#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{
    .expect = completes(),
    .launcher = R"(export WORLD_SIZE=2 LOCAL_WORLD_SIZE=2 MASTER_PORT=$((20000 + $$ % 10000))
                   (sleep 4; echo go) | RANK=0 LOCAL_RANK=0 "$0" & first=$!
                   RANK=1 LOCAL_RANK=1 "$0" & second=$!
                   wait $first && wait $second)"};

int program(int, char**) {
  const Training training;
  training.step();
  char order = 0;
  if (rank() == 0 && read(0, &order, 1) != 1) return 5;
  training.step();
  return 0;
}
