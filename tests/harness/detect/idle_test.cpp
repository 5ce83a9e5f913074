// Threads that nap beside one that idles.
#include <gtest/gtest.h>

#include <string>

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
  record::Sleep nap;
  nap.awake = record::Awake::may_end;
  nap.limit_ns = 100'000'000;
  add_other(world, 0, key(0), nap);
  world[1].exit(0);
  return world;
}

const SleepCase kIdle[] = {
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

}  // namespace
}  // namespace gridlock::detect::states
