// Rank 2 has one more batch. The others wait at a barrier of the store, whose server is a thread of
// rank 0. Rank 0 is also its client.
// Naive view: all wait for rank 0's process, where all threads sleep: rank 0 is stuck in its own
// code.
// Expected: deadlock; rank 2 is to blame, or the cycle of all.
#include "tests/adversarial/setup/store_barrier.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1, 2}).or_as("deadlock", "missing_rank", {2}), .ranks = 3};

int program(int, char**) { return meet_at_the_store(0); }
