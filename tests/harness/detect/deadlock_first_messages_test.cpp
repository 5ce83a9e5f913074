// States in which hosts wait for each other to connect: a pair's first message in a direction
// blocks its host until the other rank calls its side.
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

// The host of each rank connects for a lone message to, or from, the next rank.
World ring(int ranks, Rank& (Rank::*first)(int, const std::string&)) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    (rank.*first)((rank.box.rank + 1) % ranks, "halo").not_started().connect();
  }
  return world;
}

const Deadlocked kDeadFirstMessages[] = {
    // send_recv_order
    {"ring_of_first_sends",
     [] { return ring(4, &Rank::send); },
     Cause::cycle,
     {0, 1, 2, 3},
     {0, 1, 2, 3},
     "halo",
     Call::send},
    {"both_send_first", [] { return ring(2, &Rank::send); }, Cause::cycle, {0, 1}, {0, 1}, "halo"},
    {"ring_of_first_receives",
     [] { return ring(3, &Rank::recv); },
     Cause::cycle,
     {0, 1, 2},
     {0, 1, 2},
     "halo",
     Call::recv},
    {"large_first_sends",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         rank.count(kLarge).send(1 - rank.box.rank, "halo").not_started().connect();
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "halo"},
    {"groups_that_connect_in_a_circle",  // each only to the next, so no two ranks meet
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         const int next = (rank.box.rank + 1) % 3;
         rank.group_begin().send(next, "out").recv(next).group_end().not_started().connect();
       }
       return world;
     },
     Cause::cycle,
     {0, 1, 2},
     {0, 1, 2},
     "out"},
    {"first_sends_in_a_circle_that_others_wait_for",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 1)) {
         rank->send(1 - rank->box.rank, "halo").not_started().connect();
       }
       for (Rank* rank : world.some(2, 3)) rank->all_reduce("loss").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "halo"},
    {"first_send_against_a_sync",
     [] {
       World world(2);
       world[0].send(1, "halo").not_started().connect();
       world[1].all_reduce("loss").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "halo"},
    {"first_send_to_an_exited_rank",
     [] {
       World world(2);
       world[0].send(1, "halo").not_started().connect();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "halo"},
    {"first_send_to_a_rank_that_dies_in_its_receive",
     [] {
       World world(2);
       world[0].send(1, "halo").not_started().connect();
       world[1].recv(0, "halo").not_started().connect().killed(11);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "halo"},
    {"first_group_with_a_rank_that_dies_in_its_own",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         const int other = 1 - rank.box.rank;
         rank.group_begin().send(other, "halo").recv(other).group_end().not_started().connect();
       }
       world[1].killed(11);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "halo"},
    {"first_send_on_a_communicator_that_the_peer_closed",
     [] {
       World world(2);
       world[0].send(1, "halo").not_started().connect();
       world[1].box.communicators[0].state = record::CommunicatorState::closed;
       return world;
     },
     Cause::missing_rank,
     {1},
     {0},
     "halo"},
};

INSTANTIATE_TEST_SUITE_P(FirstMessages, Deadlock, testing::ValuesIn(kDeadFirstMessages), name_of);

}  // namespace
}  // namespace gridlock::detect::states
