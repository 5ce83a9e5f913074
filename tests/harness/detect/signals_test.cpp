// Signals that may come to a rank: from whom, and whether a handler or a wait makes something of
// them.
#include <gtest/gtest.h>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

using record::Signals;

// The ranks wait for each other, and rank 0 handles a signal. Rank 1 has work left on the stream
// that is returned, and no thread outside of recorded waits.
World crossed_with_a_signal(std::uint32_t& stream) {
  World world(2);
  for (Rank& rank : world.ranks()) {
    rank.box.key = key(rank.box.rank);
    rank.join("second", rank.box.rank, 2);
    rank.in(rank.box.rank == 0 ? "world" : "second").all_reduce("x").device_synchronize();
  }
  world[0].box.signals = Signals::sent;
  stream = world[1].add_stream(false, true);
  return world;
}

const SleepCase kSignalled[] = {
    {"the_device_of_a_stuck_rank_sends_no_signal",
     [] {
       std::uint32_t stream = 0;
       World world = crossed_with_a_signal(stream);
       world[1].legacy_work(stream);
       return world;
     },
     true, true, false},
    {"a_host_function_of_a_stuck_rank_may_send_a_signal",
     [] {
       std::uint32_t stream = 0;
       World world = crossed_with_a_signal(stream);
       world[1].on(stream).host_function("log");
       return world;
     },
     false},
    {"a_timer_may_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::timed;
       return world;
     },
     false},
    {"nobody_is_left_to_send_a_signal",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::sent;
       return world;
     },
     true, true, false},
    {"a_helper_may_send_a_signal",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::sent;
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
    {"a_launcher_does_not_send_it_a_signal",
     [] {
       World world = absent({key(1)});
       world[1].box.signals = Signals::sent;
       add_other(world, 1, kHelper, {});
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true, true, false},
    {"a_helper_may_ask_it_to_end",
     [] {
       World world = absent({key(1)});
       world[1].box.enders = {kHelper};
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
    {"a_launcher_may_ask_it_to_end",
     [] {
       World world = absent({key(1)});
       world[1].box.launchers = {kHelper};
       add_other(world, 1, kHelper, {});
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true, true, false},
    {"a_launcher_that_waits_for_it_asks_for_nothing",
     [] {
       World world = absent({key(1)});
       world[1].box.launchers = {kHelper};
       add_other(world, 1, kHelper, sleeps({key(1)}));
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true},
    {"a_helper_that_waits_for_it_asks_for_nothing",
     [] {
       World world = absent({key(1)});
       world[1].box.enders = {kHelper};
       add_other(world, 1, kHelper, sleeps({key(1)}));
       return world;
     },
     true},
    {"nobody_looked_at_who_may_ask_it_to_end",
     [] {
       World world = absent({key(1)});
       world[1].box.enders = {kHelper};
       return world;
     },
     false},
    {"another_rank_may_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       add_other(world, 0, key(0), {});
       return world;
     },
     true, true, false},
    {"a_helper_may_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       add_other(world, 1, kHelper, {});
       return world;
     },
     true, true, false},
    {"a_launcher_does_not_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       add_other(world, 1, kHelper, {});
       world[1].box.others.back().of_rank = false;
       return world;
     },
     true},
    {"nobody_is_left_to_interrupt_it",
     [] {
       World world = absent({key(1)});
       world[1].box.handles_outer_signal = true;
       return world;
     },
     true},
    {"a_signal_that_it_waits_for_may_come_from_outside",
     [] {
       World world = absent({key(0), key(1)});
       world[1].box.threads[0].sleep.for_signal = true;
       return world;
     },
     true, true, false},
    {"a_signal_that_its_helper_waits_for_may_come_from_outside",
     [] {
       World world = absent({kHelper});
       add_other(world, 0, kHelper, sleeps({key(1)}));
       world[0].box.others.back().sleep.for_signal = true;
       return world;
     },
     true, true, false},
    {"a_helper_may_kill_the_rank_that_it_waits_for",
     [] {
       World world = absent({key(0)});
       add_other(world, 1, kHelper, {});
       return world;
     },
     false},
};

class Signalled : public testing::TestWithParam<SleepCase> {};

TEST_P(Signalled, AreDeadWhereNobodySendsOne) { judge(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Kinds, Signalled, testing::ValuesIn(kSignalled),
                         [](const auto& test) { return std::string(test.param.name); });

// Before the first look at the kernel, a signal's handler may have begun.
TEST(Signals, AProofBesideHandlersNeedsTheKernelAtBothLooks) {
  World world = absent({});
  world[0].box.key = 0;
  world[1].exit(0);
  Judge judge;
  judge.look(world.snapshots());
  world[0].box.key = key(0);
  world[0].box.handles_outer_signal = true;
  EXPECT_FALSE(judge.look(world.snapshots()).proven);
  EXPECT_TRUE(judge.look(world.snapshots()).proven);
}

}  // namespace
}  // namespace gridlock::detect::states
