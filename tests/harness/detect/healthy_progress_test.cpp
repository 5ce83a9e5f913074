// Ranks are late, behind or busy, and the job can go on.
#include "tests/harness/detect/healthy.h"

namespace gridlock::detect::states {
namespace {

World late(int ranks, int late_rank) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    if (rank.box.rank != late_rank) rank.all_reduce("gradients").device_synchronize();
  }
  return world;
}

const Living kAliveProgress[] = {
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
    {"numbers_mismatch_completes",
     [] {
       World world(2);
       world[0].reduction(0).all_reduce("x").device_synchronize();
       world[1].reduction(2).type(kInt32).all_reduce("x").device_synchronize();
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
};

INSTANTIATE_TEST_SUITE_P(Progress, Healthy, testing::ValuesIn(kAliveProgress), name_of_living);

}  // namespace
}  // namespace gridlock::detect::states
