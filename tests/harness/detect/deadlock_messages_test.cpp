// States in which sends and receives wait for each other.
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

World ring(int ranks, std::uint64_t count) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    const int own = rank.box.rank;
    rank.count(count);
    rank.send((own + 1) % ranks, "halo").recv((own + ranks - 1) % ranks, "halo");
    rank.device_synchronize();
  }
  return world;
}

const Deadlocked kDeadMessages[] = {
    // send_recv_order
    {"both_send_first_large", [] { return ring(2, kLarge); }, Cause::cycle, {0, 1}, {0, 1}, "halo"},
    {"ring_of_large_sends",
     [] { return ring(5, kLarge); },
     Cause::cycle,
     {0, 1, 2, 3, 4},
     {0, 1, 2, 3, 4},
     "halo"},
    {"both_receive_first",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         rank.recv(1 - rank.box.rank, "m").send(1 - rank.box.rank).device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "m"},
    {"one_leaves_the_exchange_of_messages_out",  // without 2, nobody waits in a circle
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 1)) rank->group_begin().recv(2, "tokens").group_end();
       world[3].group_begin().recv(2, "tokens").group_end();
       world[2].all_reduce("loss");
       for (Rank& rank : world.ranks()) rank.device_synchronize();
       return world;
     },
     Cause::missing_rank,
     {2},
     {0, 1, 3},
     "tokens"},
    {"two_ways_round",  // 0 waits for 1 and 3, which both wait for 2, which waits for 0
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 1)) rank->join("trio", rank->box.rank, 3);
       world[3].join("trio", 2, 3);
       world[0].in("trio").all_reduce("x");
       world[1].recv(2, "m");
       world[3].recv(2, "m");
       world[2].recv(0, "m");
       for (Rank& rank : world.ranks()) rank.device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 2},
     {1, 2, 3},
     "m"},
    {"buffer_filled_by_earlier_messages",  // each fits, together they do not
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         rank.count(kLarge / 8);
         for (int message = 0; message < 3; ++message) rank.send(1 - rank.box.rank, "m");
         rank.done(2).recv(1 - rank.box.rank).device_synchronize();
       }
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "m"},
    {"wrong_peer",
     [] {
       World world(3);
       world[0].recv(2, "m").device_synchronize();
       world[1].recv(0, "m").device_synchronize();
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "m"},
    {"self_send_outside_a_group",
     [] {
       World world(2);
       world[0].count(kLarge).send(0, "self").recv(0).device_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::self,
     {0},
     {0},
     "self"},
    // collective_and_p2p
    {"receive_behind_a_collective",
     [] {
       World world(2);
       world[0].count(kLarge).all_reduce("sum").recv(1, "m").device_synchronize();
       world[1].count(kLarge).send(0, "m").all_reduce("sum").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0},
     "sum"},
};

INSTANTIATE_TEST_SUITE_P(Messages, Deadlock, testing::ValuesIn(kDeadMessages), name_of);

}  // namespace
}  // namespace gridlock::detect::states
