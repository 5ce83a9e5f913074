// Whom an abort lets go, on the real NCCL and on our own.
#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

struct Abort {
  const char* name;
  World (*make)();
  std::vector<int> dead;      // on the real NCCL
  std::vector<int> dead_own;  // on our own
};

// The last rank has left; the others are in the collective that it missed.
World left_by_the_last(int ranks) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    if (rank.box.rank != ranks - 1) rank.all_reduce("x").stream_synchronize();
  }
  world[ranks - 1].exit(0);
  return world;
}

const Abort kAborts[] = {
    {"one_in_the_collective_can_act",
     [] {
       World world = left_by_the_last(3);
       world[0].returned();
       return world;
     },
     {},
     {1}},
    {"nobody_in_the_collective_can_act", [] { return left_by_the_last(3); }, {0, 1}, {0, 1}},
    // Its kernel would have to be in the collective.
    {"one_that_has_not_called_can_act",
     [] {
       World world(4);
       for (Rank* rank : world.some(1, 2)) rank->all_reduce("x").stream_synchronize();
       world[3].exit(0);
       return world;
     },
     {1, 2},
     {1, 2}},
    {"one_that_had_called_has_aborted",
     [] {
       World world = left_by_the_last(3);
       world[0].returned();
       world[0].box.communicators[0].state = record::CommunicatorState::aborted;
       return world;
     },
     {},
     {1}},
    {"one_that_had_not_called_has_aborted",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").stream_synchronize();
       world[2].box.communicators[0].state = record::CommunicatorState::aborted;
       return world;
     },
     {0, 1},
     {0, 1}},
    {"one_that_can_act_is_in_another_communicator",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) {
         rank->join("pair", rank->box.rank, 2).in("pair");
         rank->all_reduce("x");
       }
       world[1].stream_synchronize();
       world[0].exit(0);
       world[2].all_reduce("x");
       return world;
     },
     {1},
     {1}},
    {"calls_that_can_never_fit",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x");
       world[2].broadcast("y");
       for (Rank* rank : world.some(1, 2)) rank->stream_synchronize();
       return world;
     },
     {},
     {1, 2}},
    // Rank 0's send stands behind a collective that it may abort.
    {"receive_from_one_that_can_act",
     [] {
       World world = left_by_the_last(3);
       world[0].join("pair", 0, 2).returned().in("pair").send(1);
       world[1].join("pair", 1, 2).returned().on(world[1].add_stream()).in("pair").recv(0);
       world[1].stream_synchronize();
       return world;
     },
     {},
     {}},
    // So is rank 0's part in the collective.
    {"behind_a_receive_that_its_rank_may_abort",
     [] {
       World world = two_communicators(2);
       world[0].in("second").recv(1).in("first").all_reduce("x");
       world[1].in("first").all_reduce("x").stream_synchronize();
       return world;
     },
     {},
     {}},
    {"behind_a_receive_that_does_not_fit",
     [] {
       World world = two_communicators(2);
       world[0].in("second").recv(1).in("first").all_reduce("x");
       world[1].on(world[1].add_stream()).in("second").count(kLarge).send(0).count(kSmall);
       world[1].on(0).in("first").all_reduce("x").stream_synchronize();
       return world;
     },
     {},
     {}},
};

class Aborts : public testing::TestWithParam<Abort> {};

TEST_P(Aborts, LetOthersGoOnTheRealNcclAlone) {
  World world = GetParam().make();
  EXPECT_EQ(world.finding().dead, GetParam().dead_own);
  for (Rank& rank : world.ranks()) rank.box.backend = "simnccl";
  EXPECT_EQ(world.finding().dead, GetParam().dead);
}

INSTANTIATE_TEST_SUITE_P(States, Aborts, testing::ValuesIn(kAborts),
                         [](const auto& state) { return std::string(state.param.name); });

}  // namespace
}  // namespace gridlock::detect::states
