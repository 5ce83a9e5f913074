// Threads that nap beside one that idles.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

// Rank 0 waits in a collective that rank 1 has left, and has a second recorded thread, which idles.
// Beside it, a thread of no box sleeps by the clock.
World idles_beside_a_nap() {
  World world(2);
  Rank& rank = world[0];
  rank.box.key = key(0);
  rank.box.pid = 100;
  rank.all_reduce("gradients").device_synchronize();
  rank.box.threads[rank.add_thread()].sleep = sleeps({key(0)});
  add_other(world, 0, key(0), nap({}));
  world[1].exit(0);
  return world;
}

// There, a thread also polls for what a helper gives it, again and again.
World idles_beside_a_poll() {
  World world = idles_beside_a_nap();
  add_other(world, 0, key(0), nap({kHelper}));
  return world;
}

// There the helper polls for what the rank gives it, and the rank handles such signals.
World handles(record::Signals signals) {
  World world = idles_beside_a_poll();
  world[0].box.signals = signals;
  add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
  return world;
}

World reads_from_a_named_pipe_beside_a_nap() {
  World world = idles_beside_a_nap();
  record::Sleep reads = sleeps({key(0)});
  reads.by_anybody = reads.has_name = true;
  add_other(world, 0, key(0), reads);
  return world;
}

// The nap's thread looks for the end of the helper.
World looks_for_the_end_of_a_child() {
  World world = idles_beside_a_nap();
  world[0].box.others.back().sleep.only_by_clock = true;
  world[0].box.others.back().sleep.wakers = {kHelper};
  return world;
}

// Rank 1's main thread waits for its event loop, which sleeps until it hears from rank 0 or until
// its time comes, as Gloo's does.
World waits_for_its_event_loop(std::vector<record::ProcessKey> wakers) {
  World world = absent({key(1)});
  add_other(world, 1, key(1), nap(std::move(wakers)));
  return world;
}

const SleepCase kIdle[] = {
    {"idle_beside_an_event_loop_of_ranks",
     [] {
       return waits_for_its_event_loop({key(0), key(1)});
     },
     true, true, false},
    {"idle_beside_an_event_loop_of_its_own", [] { return waits_for_its_event_loop({key(1)}); },
     false},
    {"idle_beside_a_sleep_of_its_own",
     [] {
       World world = waits_for_its_event_loop({key(1), kHelper});
       world[1].box.others.back().sleep.only_by_clock = true;
       add_other(world, 1, kHelper, sleeps({key(1)}));
       return world;
     },
     false},
    {"idle_beside_a_nap", idles_beside_a_nap, true, true, false},
    {"idle_beside_a_thread_that_runs",
     [] {
       World world = idles_beside_a_nap();
       add_other(world, 0, key(0), {});
       return world;
     },
     false},
    {"idle_beside_a_nap_and_one_whom_a_helper_may_wake",
     [] {
       World world = idles_beside_a_nap();
       add_other(world, 0, key(0), sleeps({kHelper}));
       add_other(world, 0, kHelper, {});
       return world;
     },
     false},
    {"idle_beside_a_nap_and_one_that_only_the_nap_may_wake",
     [] {
       World world = idles_beside_a_nap();
       add_other(world, 0, key(0), sleeps({key(0)}));
       return world;
     },
     true, true, false},
    {"idle_beside_a_poll_for_a_helper_that_polls_for_the_rank",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
       add_other(world, 0, kHelper, of_a_helper(sleeps({kHelper})));
       return world;
     },
     true, true, false},
    {"idle_beside_a_poll_for_a_helper_that_polls_for_one_that_sleeps_by_the_clock",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, of_a_helper(nap({key(0), kOtherHelper})));
       add_other(world, 0, kOtherHelper, of_a_helper(nap({})));
       return world;
     },
     false},
    {"idle_beside_a_poll_for_a_helper_that_runs",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, {});
       return world;
     },
     false},
    {"idle_beside_a_poll_for_a_helper_with_a_thread_that_sleeps_by_the_clock",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, of_a_helper(sleeps({key(0)})));
       add_other(world, 0, kHelper, of_a_helper(nap({kHelper})));
       return world;
     },
     false},
    {"idle_beside_a_poll_for_a_helper_that_another_one_may_kill",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
       add_other(world, 0, kOtherHelper, {});
       return world;
     },
     false},
    {"idle_beside_a_poll_for_who_was_not_looked_at", [] { return idles_beside_a_poll(); }, false},
    {"idle_beside_a_poll_for_a_launcher",
     [] {
       World world = idles_beside_a_poll();
       add_launcher(world, kHelper, of_a_helper(nap({key(0)})));
       return world;
     },
     true, true, false},
    {"idle_beside_a_poll_for_a_launcher_that_runs",
     [] {
       World world = idles_beside_a_poll();
       add_launcher(world, kHelper, {});
       return world;
     },
     false},
    {"idle_beside_a_poll_for_a_helper_and_a_launcher_that_naps",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
       add_other(world, 0, kHelper, of_a_helper(sleeps({kHelper})));
       add_launcher(world, kOtherHelper, of_a_helper(nap({})));
       return world;
     },
     true, true, false},
    // It may signal the helper.
    {"idle_beside_a_poll_for_a_helper_and_a_launcher_that_runs",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
       add_other(world, 0, kHelper, of_a_helper(sleeps({kHelper})));
       add_launcher(world, kOtherHelper, {});
       return world;
     },
     false},
    {"idle_beside_a_poll_for_a_helper_that_only_sleeps_until_its_child_ends",
     [] {
       World world = idles_beside_a_poll();
       record::Sleep sleep = of_a_helper(nap({kOtherHelper}));
       sleep.only_by_clock = true;
       add_other(world, 0, kHelper, sleep);
       add_other(world, 0, kOtherHelper, of_a_helper(sleeps({kHelper})));
       return world;
     },
     false},
    {"idle_beside_a_nap_that_looks_for_the_end_of_a_child",
     [] {
       World world = looks_for_the_end_of_a_child();
       add_other(world, 0, kHelper, of_a_helper(sleeps({key(0)})));
       return world;
     },
     true, true, false},
    {"idle_beside_a_nap_that_looks_for_the_end_of_a_child_that_works",
     [] {
       World world = looks_for_the_end_of_a_child();
       add_other(world, 0, kHelper, {});
       return world;
     },
     false},
    {"waits_for_the_end_of_the_thread_that_naps",
     [] {
       World world = idles_beside_a_nap();
       world[0].box.threads.back().sleep.for_napper = true;
       return world;
     },
     false},
    {"another_thread_waits_for_the_end_of_the_one_that_naps",
     [] {
       World world = idles_beside_a_nap();
       record::Sleep joins = sleeps({key(0)});
       joins.for_napper = true;
       add_other(world, 0, key(0), joins);
       return world;
     },
     false},
    {"idle_beside_a_server_that_polls_for_clients",
     [] {
       World world = idles_beside_a_poll();
       add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
       world[0].box.others[1].sleep.listens = true;
       return world;
     },
     true, true, false},
    {"idle_beside_a_server_that_polls_for_clients_one_of_which_works",
     [] {
       World world = idles_beside_a_nap();
       world[0].box.others.back().sleep.listens = true;
       add_launcher(world, kOtherHelper, {});
       return world;
     },
     false},
    {"idle_beside_a_nap_and_one_that_reads_from_a_worker",
     [] {
       World world = idles_beside_a_nap();
       add_other(world, 0, key(0), sleeps({kHelper}));
       add_other(world, 0, kHelper, of_a_helper(sleeps({key(0)})));
       return world;
     },
     true, true, false},
    {"idle_beside_a_nap_and_one_that_reads_from_a_named_pipe",
     [] {
       World world = reads_from_a_named_pipe_beside_a_nap();
       add_launcher(world, kOtherHelper, of_a_helper(nap({})));
       return world;
     },
     true, true, false},
    {"idle_beside_a_nap_and_one_that_reads_from_a_named_pipe_while_a_launcher_works",
     [] {
       World world = reads_from_a_named_pipe_beside_a_nap();
       add_launcher(world, kOtherHelper, {});
       return world;
     },
     false},
    {"told_of_children_that_nap",
     [] {
       World world = handles(record::Signals::by_children);
       return world;
     },
     true, true, false},
    {"told_of_children_one_of_which_may_end",
     [] {
       World world = handles(record::Signals::by_children);
       add_other(world, 0, kOtherHelper, {});
       return world;
     },
     false},
    {"told_of_more_than_children",
     [] {
       World world = handles(record::Signals::sent);
       return world;
     },
     false},
    {"idle_beside_a_nap_while_nobody_waits",
     [] {
       World world = idles_beside_a_nap();
       world[0].thread(0).returned();
       world[0].box.threads[0].sleep = sleeps({key(0)});
       return world;
     },
     false},
};

class Idle : public testing::TestWithParam<SleepCase> {};

TEST_P(Idle, AreDeadWhereOnlyWhoNapsCouldWakeThem) { judge(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Kinds, Idle, testing::ValuesIn(kIdle),
                         [](const auto& one) { return std::string(one.param.name); });

bool assumes(World& world, phrase::Assumes::What what, std::vector<int> ranks = {}) {
  return std::ranges::count(world.verdict().assumptions,
                            Phrase(phrase::Assumes{.what = what, .ranks = std::move(ranks)})) == 1;
}

TEST(Idle, TheAssumptionsNameHelpersThatNap) {
  World world = idles_beside_a_poll();
  add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
  EXPECT_TRUE(assumes(world, phrase::Assumes::What::helpers_nap));
  world[0].box.others.back().sleep = of_a_helper(sleeps({key(0)}));
  EXPECT_FALSE(assumes(world, phrase::Assumes::What::helpers_nap)) << "it sleeps until it is woken";
}

// It may write to a pipe of the rank with the thread that idles.
TEST(Idle, TheAssumptionsNameTheRankThatNaps) {
  using enum phrase::Assumes::What;
  World world(3);
  for (int rank = 0; rank < 3; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
  }
  for (int rank = 0; rank < 2; ++rank) world[rank].all_reduce("gradients").device_synchronize();
  world[2].exit(0);
  world[0].box.threads[world[0].add_thread()].sleep = sleeps({key(0)});
  add_other(world, 0, key(0), sleeps({key(1)}));
  add_other(world, 1, key(1), nap({}));
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  EXPECT_TRUE(assumes(world, idle_threads, {1}));
  EXPECT_FALSE(assumes(world, no_connections, {1}));
  world[1].box.others.back().sleep.listens = true;
  EXPECT_TRUE(assumes(world, no_connections, {1}));
}

TEST(Idle, TheAssumptionsNameSignalsToHelpersThatNap) {
  World world = idles_beside_a_poll();
  add_other(world, 0, kHelper, of_a_helper(nap({key(0)})));
  EXPECT_FALSE(assumes(world, phrase::Assumes::What::no_signals, {0}));
  world[0].box.others.back().sleep.for_signal = true;
  EXPECT_TRUE(assumes(world, phrase::Assumes::What::no_signals, {0}));
}

}  // namespace
}  // namespace gridlock::detect::states
