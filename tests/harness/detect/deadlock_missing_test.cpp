// States in which ranks wait in a collective that others will never join: they are gone, or have
// left.
#include "tests/harness/detect/deadlock.h"

namespace gridlock::detect::states {
namespace {

const Deadlocked kDeadMissing[] = {
    // uneven_batches
    {"peers_leave_and_exit",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) rank->all_reduce("gradients").device_synchronize();
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {0, 1, 2},
     "gradients"},
    {"peers_leave_after_several_steps",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) rank.all_reduce("gradients").all_reduce("gradients");
       for (Rank& rank : world.ranks()) rank.all_done();
       for (Rank* rank : world.some(0, 2)) rank->all_reduce("last").stream_synchronize();
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {0, 1, 2},
     "last"},
    {"rank_killed",
     [] {
       World world(3);
       world[0].all_reduce("gradients").device_synchronize();
       world[1].killed(9);
       world[2].all_reduce("gradients").device_synchronize();
       return world;
     },
     Cause::rank_exited,
     {1},
     {0, 2},
     "gradients"},
    {"killed_inside_the_operation",
     [] {
       World world = all_ranks(3, [](Rank& rank) { rank.all_reduce("g").device_synchronize(); });
       world[1].killed(11);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0, 2},
     "g"},
    // Rank 0 came late. NCCL told it that rank 3 was gone, so it ended.
    {"one_ended_because_another_was_gone",
     [] {
       World world(4);
       for (Rank* rank : world.some(1, 2)) rank->all_reduce("g").device_synchronize();
       world[0].box.communicators[0].failed_call = Call::send;
       world[0].box.communicators[0].failed_result = 6;
       world[0].exit(1);
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {1, 2},
     "g"},
    {"two_ranks_exited",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("g").device_synchronize();
       world[2].exit(1);
       world[3].exit(1);
       return world;
     },
     Cause::rank_exited,
     {2, 3},
     {0, 1},
     "g"},
    {"victim_of_a_victim",  // 0 waits for 1, 1 waits for 2, 2 is gone: blame goes to the end
     [] {
       World world = neighbours();
       world[0].in("left").all_reduce("left").device_synchronize();
       world[1].in("right").all_reduce("right").device_synchronize();
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0},
     "left"},
    {"validation_pairs_with_gradients",
     [] {
       return mismatch([](Rank& rank) { rank.all_reduce("gradients"); },
                       [](Rank& rank) { rank.count(1).all_reduce("validation/metric"); }, 3);
     },
     Cause::mismatch,
     {3},
     {0, 1, 2},
     "gradients"},
    // rooted collectives
    {"broadcast_without_its_root",
     [] {
       World world(4);
       for (Rank* rank : world.some(1, 3)) rank->broadcast("weights").device_synchronize();
       world[0].exit(0);
       return world;
     },
     Cause::rank_exited,
     {0},
     {1, 2, 3},
     "weights"},
    {"reduce_root_waits_for_a_leaf",
     [] {
       World world(4);
       for (Rank* rank : world.some(0, 2)) rank->reduce("loss");
       world[0].device_synchronize();
       for (Rank* rank : world.some(1, 2)) rank->all_done().exit(0);
       world[3].exit(0);
       return world;
     },
     Cause::rank_exited,
     {3},
     {0},
     "loss"},
    {"large_broadcast_without_a_leaf",
     [] {
       World world(3);
       world[0].count(kLarge).broadcast("weights").device_synchronize();
       world[1].count(kLarge).broadcast("weights").all_done().exit(0);
       world[2].exit(1);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0},
     "weights"},
    // streams and events
    {"event_behind_a_stuck_collective",  // compute waits for communication, the host for compute
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) {
         const std::uint32_t communication = rank->add_stream();
         const Event done = rank->on(communication).all_reduce("gradients").record_event();
         rank->on(0).wait_event(done).stream_synchronize();
       }
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "gradients"},
    {"blocked_ranks_with_work_queued_behind",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) {
         for (int bucket = 0; bucket < 20; ++bucket) rank->all_reduce("gradients");
         rank->device_synchronize();
       }
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited,
     {2},
     {0, 1},
     "gradients"},
    // second_thread
    {"both_threads_blocked",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[0].thread(world[0].add_thread()).device_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "x"},
    {"a_thread_that_ended_cannot_act",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[0].thread(world[0].add_thread()).thread_ended();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "x"},
    {"rank_zero_barrier",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.join("control", rank.box.rank, 3);
       world[0].in("control").all_reduce("barrier").device_synchronize();
       for (Rank* rank : world.some(1, 2)) rank->exit(0);
       return world;
     },
     Cause::rank_exited,
     {0},
     {0},
     "barrier"},
    // One call too many: most ranks have ended without it, so those that made it differ.
    {"one_call_too_many_at_the_end",
     [] {
       World world = all_ranks(4, [](Rank& rank) { rank.all_reduce("g").all_reduce("g"); });
       for (Rank& rank : world.ranks()) rank.all_done();
       for (const int rank : {0, 1, 3}) world[rank].exit(0);
       world[2].all_reduce("once more").device_synchronize();
       return world;
     },
     Cause::rank_exited,
     {2},
     {2},
     "once more"},
    {"one_call_too_many_behind_work_that_is_done",
     [] {
       World world(5);
       for (Rank* rank : world.some(0, 1)) rank->reduce("loss", 0);
       world[0].device_synchronize();
       world[1].all_done().exit(0);
       for (Rank* rank : world.some(2, 4)) rank->exit(0);
       return world;
     },
     Cause::rank_exited,
     {0, 1},
     {0},
     "loss"},
    {"one_call_too_many_of_two",  // no majority, so the rank that is gone is to blame
     [] {
       World world(2);
       world[0].all_reduce("g").device_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited,
     {1},
     {0},
     "g"},
    {"one_call_too_many_while_others_close",
     [] {
       World world(4);
       world[2].all_reduce("once more").device_synchronize();
       for (const int rank : {0, 1, 3}) world[rank].communicator_call(Call::comm_destroy);
       return world;
     },
     Cause::missing_rank,
     {2},
     {2},
     "once more"},
    {"most_have_failed",  // a failure does not count as agreement
     [] {
       World world(4);
       world[0].all_reduce("g").device_synchronize();
       for (Rank* rank : world.some(1, 3)) rank->exit(1);
       return world;
     },
     Cause::rank_exited,
     {1, 2, 3},
     {0},
     "g"},
    {"most_have_ended_and_one_has_crashed",
     [] {
       World world(5);
       world[0].all_reduce("g").device_synchronize();
       for (Rank* rank : world.some(1, 3)) rank->exit(0);
       world[4].killed(11);
       return world;
     },
     Cause::rank_exited,
     {1, 2, 3, 4},
     {0},
     "g"},
};

INSTANTIATE_TEST_SUITE_P(Missing, Deadlock, testing::ValuesIn(kDeadMissing), name_of);

}  // namespace
}  // namespace gridlock::detect::states
