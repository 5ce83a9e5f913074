// States from which a job can go on: calling one of them dead is as bad as missing a deadlock.
#include <gtest/gtest.h>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

struct State {
  const char* name;
  World (*make)();
};

std::ostream& operator<<(std::ostream& out, const State& state) { return out << state.name; }

World late(int ranks, int late_rank) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    if (rank.box.rank != late_rank) rank.all_reduce("gradients").device_synchronize();
  }
  return world;
}

World two_communicators(int ranks) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    rank.join("first", rank.box.rank, ranks).join("second", rank.box.rank, ranks);
  }
  return world;
}

const State kStates[] = {
    {"nothing_has_happened", [] { return World(4); }},
    {"first_rank_late", [] { return late(4, 0); }},
    {"middle_rank_late", [] { return late(4, 2); }},
    {"last_rank_late", [] { return late(4, 3); }},
    {"late_rank_reads_from_a_socket",
     [] {
       World world = late(4, 1);
       world[1].blocked_in("read(4)");
       return world;
     }},
    {"all_arrived_but_not_completed",
     [] {
       World world = late(4, -1);
       return world;
     }},
    {"some_completed_some_not_yet",
     [] {
       World world = late(4, -1);
       world[0].all_done();
       world[2].all_done().returned();
       return world;
     }},
    {"completed_but_the_host_has_not_returned_yet",
     [] {
       World world = late(4, -1);
       for (Rank& rank : world.ranks()) rank.all_done();
       return world;
     }},
    {"late_rank_enqueued_but_its_stream_computes",
     [] {
       World world = late(3, 2);
       world[2].all_reduce("gradients").not_started().device_synchronize();
       return world;
     }},
    {"work_queued_far_ahead",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         for (int step = 0; step < 50 + 10 * rank.box.rank; ++step) rank.all_reduce("gradients");
       }
       world[1].done(3).device_synchronize();
       return world;
     }},
    {"one_far_behind_but_running",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) {
         for (int step = 0; step < 50; ++step) rank->all_reduce("gradients");
         rank->device_synchronize();
       }
       world[2].all_reduce("gradients");
       return world;
     }},
    {"every_rank_synchronizes_with_nothing_pending",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.device_synchronize();
       return world;
     }},
    {"same_order_with_sync",
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("one").device_synchronize();
       world[1].in("first").all_reduce("one").in("second").all_reduce("two").device_synchronize();
       return world;
     }},
    {"crossed_on_two_streams_without_sync",
     [] {
       World world = two_communicators(2);
       for (Rank& rank : world.ranks()) {
         const std::uint32_t other = rank.add_stream();
         const bool first = rank.box.rank == 0;
         rank.in(first ? "first" : "second").on(first ? 0 : other).all_reduce("x");
         rank.in(first ? "second" : "first").on(first ? other : 0).all_reduce("y");
         rank.device_synchronize();
       }
       return world;
     }},
    {"crossed_with_stream_ordered_free",  // the host goes on and calls the other one
     [] {
       World world = two_communicators(2);
       world[0].in("first").all_reduce("x").device_synchronize();
       world[1].in("second").all_reduce("x");
       return world;
     }},
    {"non_blocking_streams_ignore_the_legacy_stream",
     [] {
       World world = two_communicators(2);
       for (Rank& rank : world.ranks()) {
         const bool first = rank.box.rank == 0;
         const std::uint32_t legacy = rank.add_stream(false, true);
         const std::uint32_t one = rank.add_stream();
         const std::uint32_t two = rank.add_stream();
         rank.on(one).in(first ? "first" : "second").all_reduce("one");
         rank.legacy_work(legacy);
         rank.on(two).in(first ? "second" : "first").all_reduce("two");
         rank.device_synchronize();
       }
       return world;
     }},
    {"small_sends_first",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         rank.send(1 - rank.box.rank).recv(1 - rank.box.rank).device_synchronize();
       }
       return world;
     }},
    {"grouped_large_ring",
     [] {
       World world(4);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         rank.count(kLarge).group_begin().send((own + 1) % 4).recv((own + 3) % 4).group_end();
         rank.device_synchronize();
       }
       return world;
     }},
    {"one_receives_first",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         const int own = rank.box.rank;
         rank.count(kLarge);
         if (own == 0) rank.recv(2).send(1);
         if (own != 0) rank.send((own + 1) % 3).recv(own - 1);
         rank.device_synchronize();
       }
       return world;
     }},
    {"message_sent_and_sender_busy",
     [] {
       World world(2);
       world[0].send(1).all_done();
       world[1].recv(0).device_synchronize();
       return world;
     }},
    {"message_sent_and_sender_gone",
     [] {
       World world(2);
       world[0].send(1).all_done().exit(0);
       world[1].recv(0).device_synchronize();
       return world;
     }},
    {"earlier_messages_were_taken",
     [] {
       World world(2);
       world[0].count(kLarge / 8);
       world[1].count(kLarge / 8);
       for (int message = 0; message < 5; ++message) world[0].send(1);
       for (int message = 0; message < 4; ++message) world[1].recv(0);
       world[0].done(4).device_synchronize();
       world[1].all_done().send(0).device_synchronize();
       return world;
     }},
    {"broadcast_from_a_root_that_went_on",
     [] {
       World world(3);
       world[0].broadcast("weights").all_done().exit(0);
       for (Rank* rank : world.some(1, 2)) rank->broadcast("weights").device_synchronize();
       return world;
     }},
    {"broadcast_leaf_does_not_wait_for_leaves",
     [] {
       World world(3);
       world[0].broadcast("weights").all_done();
       world[1].broadcast("weights").device_synchronize();
       world[2].exit(0);
       return world;
     }},
    {"small_reduce_leaf_waits_for_nobody",
     [] {
       World world(3);
       world[1].reduce("loss").device_synchronize();
       world[0].exit(0);
       world[2].exit(0);
       return world;
     }},
    {"numbers_mismatch_completes",
     [] {
       World world(2);
       world[0].reduction(0).all_reduce("x").device_synchronize();
       world[1].reduction(2).type(kInt32).all_reduce("x").device_synchronize();
       return world;
     }},
    {"init_with_one_still_to_come",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_init);
       world[2].leave_world();
       return world;
     }},
    {"init_that_is_about_to_return",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_init);
       return world;
     }},
    {"grouped_init_of_two_members_in_one_process",
     [] {
       World world(1);
       world[0].leave_world().join("devices", 0, 2).join("devices", 1, 2).in("devices");
       world[0].communicator_call(Call::comm_init);
       world[0].box.threads[0].call = Call::group_end;  // where the group's calls wait
       return world;
     }},
    {"init_of_a_communicator_among_others_busy_elsewhere",
     [] {
       World world(3);
       world[0].join("pair", 0, 2).in("pair").communicator_call(Call::comm_init);
       world[1].all_reduce("x").device_synchronize();
       return world;  // rank 2 runs, and may join and may reduce
     }},
    {"split_of_all",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.communicator_call(Call::comm_split);
       world[1].returned();
       return world;
     }},
    {"shrink_without_a_dead_rank",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->communicator_call(Call::comm_shrink);
       world[2].exit(1);
       return world;
     }},
    {"finalize_here_destroy_there",
     [] {
       World world(2);
       world[0].communicator_call(Call::comm_finalize);
       world[1].communicator_call(Call::comm_destroy);
       return world;
     }},
    {"abort_after_a_rank_died",
     [] {
       World world(3);
       world[0].communicator_call(Call::comm_abort);
       world[1].communicator_call(Call::comm_abort);
       world[2].killed(9);
       return world;
     }},
    {"lazy_connect_of_all",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) rank.all_reduce("x").not_started().connect();
       return world;
     }},
    {"lazy_connect_with_one_to_come",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->all_reduce("x").not_started().connect();
       return world;
     }},
    {"second_thread_can_still_act",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[1].device_synchronize();
       world[1].in("world").join("other", 0, 1);
       world[1].in("other").host_function().device_synchronize();
       world[1].add_thread();
       return world;
     }},
    {"polling_host_may_abort",
     [] {
       World world(2);
       world[0].all_reduce("x");
       world[1].exit(1);
       return world;
     }},
    {"host_function_on_the_stream",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[1].host_function().all_reduce("x").device_synchronize();
       return world;
     }},
    {"graph_on_the_stream",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[1].graph_launch().all_reduce("x").device_synchronize();
       return world;
     }},
    {"event_of_finished_work",
     [] {
       World world(2);
       for (Rank& rank : world.ranks()) {
         const std::uint32_t communication = rank.add_stream();
         const Event done = rank.on(communication).all_reduce("gradients").record_event();
         rank.on(0).wait_event(done).stream_synchronize();
       }
       world[0].on(1).done(1);
       return world;
     }},
    {"later_work_of_another_thread_is_not_waited_for",
     [] {
       World world(2);
       world[0].device_synchronize();
       const std::uint32_t second = world[0].add_thread();
       world[0].thread(second).all_reduce("x").device_synchronize();
       world[1].exit(0);
       return world;
     }},
    // ncclCommAbort ends what is in flight; until the stream has noticed, it looks as before.
    {"collective_of_an_aborted_communicator",
     [] {
       World world(3);
       for (Rank& rank : world.ranks()) {
         rank.all_reduce("x").stream_synchronize();
         rank.box.communicators[0].state = record::CommunicatorState::aborted;
       }
       world[2].killed(9);
       return world;
     }},
    {"receive_on_an_aborted_communicator",
     [] {
       World world(2);
       world[0].recv(1).stream_synchronize();
       world[0].box.communicators[0].state = record::CommunicatorState::aborted;
       world[1].killed(9);
       return world;
     }},
    {"overrun_proves_nothing",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[1].device_synchronize();
       world[1].box.overrun = true;
       return world;
     }},
    {"damage_proves_nothing",
     [] {
       World world(2);
       world[0].all_reduce("x").device_synchronize();
       world[1].device_synchronize();
       world[1].box.damage = "the magic is wrong";
       return world;
     }},
    {"rank_without_a_box_yet",
     [] {
       World world(2);
       world[0].communicator_call(Call::comm_init);
       world[1].leave_world();
       world[1].box.threads.clear();
       world[1].box.streams.clear();
       return world;
     }},
};

class Healthy : public testing::TestWithParam<State> {};

TEST_P(Healthy, IsNeverCalledDead) {
  World world = GetParam().make();
  const Finding finding = world.finding();
  EXPECT_FALSE(finding.proven && finding.settled);
  // None of these jobs is over: a rank that waits is not among the dead.
  EXPECT_EQ(finding.dead, std::vector<int>());
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
}

INSTANTIATE_TEST_SUITE_P(States, Healthy, testing::ValuesIn(kStates),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace gridlock::detect::states
