// Processes above the ranks and beside them: what they may do to who sleeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

using record::Sleep;

// It sleeps until a rank ends, but a signal that it handles may come from outside.
void add_one_that_hears(World& world) {
  Sleep sleep = sleeps({key(0), key(1)});
  sleep.by_anybody = true;
  add_launcher(world, kOtherHelper, sleep);
  world[0].box.others.back().hears = true;
}

// Rank 1 waits at the store, whose server is in torchrun's agent. That sleeps so.
World waits_at_the_store(Sleep sleep) {
  World world = absent({key(1), kOtherHelper});
  add_launcher(world, kOtherHelper, of_a_helper(std::move(sleep)));
  return world;
}

Sleep looks_after_its_workers() {
  Sleep sleep = nap({key(0), key(1)});
  sleep.only_by_clock = true;
  return sleep;
}

const SleepCase kLaunchers[] = {
    {"at_the_store_of_an_agent_that_naps",
     [] { return waits_at_the_store(looks_after_its_workers()); }, true, true, false},
    {"at_the_store_of_an_agent_beside_a_rank_that_naps",
     [] {
       World world = waits_at_the_store(looks_after_its_workers());
       add_other(world, 0, key(0), nap({key(0)}));
       return world;
     },
     true, true, false},
    // It may be no launcher at all: a feeder that looks every second whether there is something.
    {"at_the_socket_of_one_beside_the_ranks_that_naps",
     [] {
       World world = waits_at_the_store(looks_after_its_workers());
       world[0].box.others.back().launches = false;
       return world;
     },
     false},
    {"at_the_store_of_an_agent_that_runs", [] { return waits_at_the_store({}); }, false},
    {"on_a_pipe_of_a_rank_that_a_launcher_can_kill",
     [] {
       World world = absent({key(0)});
       add_launcher(world, kOtherHelper, {});
       return world;
     },
     true, true, false},
    {"on_a_pipe_of_a_rank_below_a_launcher_that_sleeps",
     [] {
       World world = absent({key(0)});
       add_launcher(world, kOtherHelper, sleeps({key(0), key(1)}));
       return world;
     },
     true},
    {"on_a_futex_of_its_own_below_a_launcher",
     [] {
       World world = absent({key(1)});
       add_launcher(world, kOtherHelper, {});
       return world;
     },
     true},
    // Slurm's --signal=B:USR1, for which a script has a trap.
    {"on_a_pipe_of_a_launcher_that_hears",
     [] {
       World world = absent({kOtherHelper});
       add_one_that_hears(world);
       return world;
     },
     true, true, false},
    {"on_a_pipe_of_a_helper_that_a_launcher_that_hears_can_kill",
     [] {
       World world = absent({kHelper});
       add_other(world, 0, kHelper, sleeps({key(0)}));
       add_one_that_hears(world);
       return world;
     },
     true, true, false},
    {"on_a_futex_of_its_own_below_a_launcher_that_hears",
     [] {
       World world = absent({key(1)});
       add_one_that_hears(world);
       return world;
     },
     true},
};

class Launchers : public testing::TestWithParam<SleepCase> {};

TEST_P(Launchers, MayKillOrHearASignalOrServe) { judge(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Kinds, Launchers, testing::ValuesIn(kLaunchers),
                         [](const auto& one) { return std::string(one.param.name); });

// A thread of rank 1 waits for the launcher, and the trainer, which has made calls, for that one.
TEST(Launchers, TheAssumptionsNameOneThatNapsAlsoIfASilentThreadWaitsForIt) {
  using enum phrase::Assumes::What;
  World world = absent({key(1)});
  add_other(world, 1, key(1), sleeps({kOtherHelper}));
  add_launcher(world, kOtherHelper, of_a_helper(looks_after_its_workers()));
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome, Outcome::deadlock);
  for (const Phrase& one : {Phrase(phrase::Assumes{.what = helpers_nap, .ranks = {}}),
                            Phrase(phrase::Assumes{.what = silent_threads, .ranks = {1}})}) {
    EXPECT_EQ(std::ranges::count(verdict.assumptions, one), 1);
  }
}

TEST(Launchers, OneOnAnotherHostMayTellWhoWaitsForIt) {
  World world = absent({});
  world[0].box.host = "a";
  world[1].box.host = "b";
  world[1].box.threads[0].sleep.far_ends = {"1>2"};
  world[0].box.connections = {{.name = "1>2", .holder = kOtherHelper}};
  add_launcher(world, kOtherHelper, of_a_helper(looks_after_its_workers()));
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
  world[0].box.others.back().sleep = of_a_helper(sleeps({key(0)}));
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
}

TEST(Launchers, OneOnAnotherHostMayKillWhoHoldsTheOtherEnd) {
  World world(2);
  for (int rank = 0; rank < 2; ++rank) {
    world[rank].box.key = record::process_key(rank, 100 + rank);
    world[rank].box.host = rank == 0 ? "a" : "b";
  }
  world[0].all_reduce("gradients").device_synchronize();
  world[1].box.threads[0].sleep = sleeps({});
  world[1].box.threads[0].sleep.far_ends = {"1>2"};
  world[0].box.connections = {{.name = "1>2", .holder = world[0].box.key}};
  EXPECT_TRUE(world.verdict().assumptions.empty());
  add_launcher(world, kOtherHelper, {});
  EXPECT_EQ(world.verdict().outcome, Outcome::deadlock);
  EXPECT_EQ(std::ranges::count(
                world.verdict().assumptions,
                Phrase(phrase::Assumes{.what = phrase::Assumes::What::no_kills, .ranks = {1}})),
            1);
  world.parameters.strict = true;
  EXPECT_NE(world.verdict().outcome, Outcome::deadlock);
}

TEST(Launchers, TheAssumptionsNameOneThatNaps) {
  const auto assumes = [](World world) {
    return std::ranges::count(
        world.verdict().assumptions,
        Phrase(phrase::Assumes{.what = phrase::Assumes::What::helpers_nap, .ranks = {}}));
  };
  EXPECT_EQ(assumes(waits_at_the_store(looks_after_its_workers())), 1);
  EXPECT_EQ(assumes(waits_at_the_store(sleeps({key(0), key(1)}))), 0);
}

}  // namespace
}  // namespace gridlock::detect::states
