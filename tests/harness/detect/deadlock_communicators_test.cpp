// States in which ranks wait while a communicator is made, connected or destroyed.
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

const Deadlocked kDeadCommunicators[] = {
    // missing_rank_at_init
    {"rank_never_calls_init_and_exits",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_init);
       world[2].leave_world().exit(0);
       return world;
     },
     Cause::init,
     {2},
     {0, 1},
     "",
     Call::comm_init},
    {"rank_waits_elsewhere_instead_of_init",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.join("second", rank.box.rank, 3);
       for (Rank* rank : world.some(0, 1)) rank->in("second").communicator_call(Call::comm_init);
       world[2].box.communicators.pop_back();
       world[2].all_reduce("x").device_synchronize();
       return world;
     },
     Cause::init,
     {2},
     {0, 1},
     "",
     Call::comm_init},
    // It has read the id that an earlier run left behind.
    {"rank_has_another_id",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         rank.leave_world().join(rank.box.rank == 3 ? "stale" : "fresh", rank.box.rank, 4);
         rank.communicator_call(Call::comm_init);
       }
       return world;
     },
     Cause::init,
     {3},
     {0, 1, 2, 3},
     "",
     Call::comm_init},
    // Three ranks of the others' half are in the first call on all. One of them has joined the
    // wrong
    // half, so that another one was refused.
    {"half_of_three_lacks_one",
     [] {
       World world(6);
       for (const int rank : {0, 2}) {
         world[rank].join("half", rank / 2, 3).in("half").communicator_call(Call::comm_init);
       }
       for (const int rank : {1, 3, 4, 5}) world[rank].all_reduce("x").device_synchronize();
       return world;
     },
     Cause::init,
     {1, 3, 4, 5},
     {0, 2},
     "",
     Call::comm_init},
    {"wrong_world_size",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         rank.communicator_call(Call::comm_init);
         if (rank.box.rank == 1) rank.box.communicators[0].size = 5;
       }
       return world;
     },
     Cause::init,
     {1},
     {0, 1, 2, 3},
     "",
     Call::comm_init},
    {"all_say_one_too_many",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         rank.communicator_call(Call::comm_init);
         rank.box.communicators[0].size = 4;
       }
       return world;
     },
     Cause::init,
     {0, 1, 2},
     {0, 1, 2},
     "",
     Call::comm_init},
    {"duplicate_rank",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_init);
       world[3].box.communicators[0].rank = 2;
       return world;
     },
     Cause::init,
     {3},
     {0, 1, 2, 3},
     "",
     Call::comm_init},
    {"crashed_during_init",
     [] {
       World world = all_ranks(3, [](Rank& rank) { rank.communicator_call(Call::comm_init); });
       world[1].killed(6);
       return world;
     },
     Cause::init,
     {1},
     {0, 2},
     "",
     Call::comm_init},
    {"split_without_one",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) rank->communicator_call(Call::comm_split);
       world[3].all_reduce("x").device_synchronize();
       return world;
     },
     Cause::missing_rank,
     {3},
     {0, 1, 2},
     "",
     Call::comm_split},
    // lazy connect
    {"lazy_connect_of_an_exited_rank",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("first").not_started().connect();
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "first"},
    {"lazy_connect_of_a_rank_that_dies_in_it",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.all_reduce("first").not_started().connect();
       world[2].killed(11);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "first"},
    {"lazy_connect_of_four_ranks_that_die_in_it",  // as many as once summed up to no need at all
     [] {
       World world(5);
       for (Rank& rank : world.ranks()) rank.all_reduce("first").not_started().connect();
       for (Rank* rank : world.some(1, 4)) rank->killed(11);
       return world;
     },
     Cause::rank_exited,
     {1, 2, 3, 4},
     {0},
     "first"},
    {"lazy_connect_crossed",  // no sync needed: the host itself blocks
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("x").not_started().connect();
       world[1].in("second").all_reduce("x").not_started().connect();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "x"},
    {"lazy_connect_against_a_sync",
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("x").not_started().connect();
       world[1].in("second").all_reduce("x").device_synchronize();
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "x"},
    // destroy_order
    {"destroy_while_others_communicate",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").device_synchronize();
       world[2].communicator_call(Call::comm_destroy);
       return world;
     },
     Cause::missing_rank,
     {2},
     {0, 1},
     "x"},
    {"destroyed_and_gone_on",  // the rank that left keeps running, and never comes back
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").device_synchronize();
       world[2].box.communicators[0].state = record::CommunicatorState::closed;
       return world;
     },
     Cause::missing_rank,
     {2},
     {0, 1},
     "x"},
    {"destroyed_in_different_order",
     [] {
       World world = two_communicators(2);
       world[0].in("first").communicator_call(Call::comm_destroy);
       world[1].in("second").communicator_call(Call::comm_destroy);
       return world;
     },
     Cause::cycle,
     {0, 1},
     {0, 1},
     "",
     Call::comm_destroy},
    // missing_group
    {"one_thread_two_devices_at_init",
     [] {
       World world(1);
       world[0].box.communicators[0].size = 2;
       world[0].communicator_call(Call::comm_init);
       return world;
     },
     Cause::self,
     {0},
     {0},
     "",
     Call::comm_init},
    {"one_thread_two_devices_at_a_collective",
     [] {
       World world(1);
       Rank& rank = world[0];
       rank.leave_world().join("pair", 0, 2).join("pair", 1, 2);
       rank.in("pair").all_reduce("x").not_started().connect();
       return world;
     },
     Cause::self,
     {0},
     {0},
     "x"},
};

INSTANTIATE_TEST_SUITE_P(Communicators, Deadlock, testing::ValuesIn(kDeadCommunicators), name_of);

}  // namespace
}  // namespace gridlock::detect::states
