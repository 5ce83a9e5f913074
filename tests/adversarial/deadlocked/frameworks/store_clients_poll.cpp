// Rank 2 has one more batch. The others wait at a barrier of the store, whose server is a thread of
// rank 0, in a poll with a time limit of half an hour, as newer clients of PyTorch do.
// Naive view: who has a time limit may go on, so it is a slow rank.
// Expected: deadlock; rank 2 is to blame, or the cycle of all. That the limit is far may be
// assumed.
#include "tests/adversarial/setup/store_barrier.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1, 2}).or_as("deadlock", "missing_rank", {2}).assuming(" "),
    .ranks = 3};

int program(int, char**) { return meet_at_the_store(1800, LimitOf::poll); }
