// A kernel that fails ends every wait for its device.
#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

// Two ranks wait for each other: rank 0 for its device, on which rank 1 is missing, and rank 1 in
// rank 0's next collective.
World crossed() {
  World world = two_communicators(2);
  world[0].in("first").all_reduce("x").device_synchronize();
  world[1].in("second").all_reduce("y").device_synchronize();
  return world;
}

// The kernel behind the message may fail once rank 2 has sent it.
World behind_a_message(std::uint32_t device) {
  World world = two_communicators(3);
  const std::uint32_t side = world[0].add_stream(true, false, device);
  world[0].on(side).in("world").recv(2);
  world[0].on(0).in("first").all_reduce("x").device_synchronize();
  world[1].in("second").all_reduce("y").device_synchronize();
  return world;
}

// The kernel in front of the collective has not ended.
World behind_work() {
  World world = crossed();
  const std::uint32_t side = world[0].add_stream();
  world[0].on(side).in("world").all_reduce("z").not_started();
  world[0].on(0).device_synchronize();
  return world;
}

// Of the legacy stream nobody knows whether it has come to the collective.
World behind_the_unshown() {
  World world = crossed();
  const std::uint32_t legacy = world[0].add_stream(false, true);
  world[0].on(legacy).in("world").all_reduce("z").not_started();
  world[0].on(0).device_synchronize();
  return world;
}

// Where most streams compute.
World behind_an_unshown_event() {
  World world = crossed();
  const Event gradients = world[0].in("first").record_event();
  const std::uint32_t legacy = world[0].add_stream(false, true);
  world[0].on(legacy).wait_event(gradients).not_started();
  world[0].on(0).device_synchronize();
  return world;
}

// The host function has come to its turn, and kernels may stand behind it.
World behind_a_host_function() {
  World world = crossed();
  const std::uint32_t side = world[0].add_stream();
  world[0].on(side).host_function();
  world[0].on(0).device_synchronize();
  return world;
}

// A callback behind the dead collective is told, and wakes the thread.
World told_to_a_callback() {
  World world = behind_work();
  for (int rank = 0; rank < 2; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
  }
  world[0].on(0).host_function().returned();
  world[0].box.threads[0].sleep = sleeps({key(0)});
  return world;
}

// What stands behind the collective has no chance to run.
World behind_the_dead() {
  World world = crossed();
  const std::uint32_t side = world[0].add_stream();
  world[0].on(side).in("first").all_reduce("z");
  world[0].on(0).device_synchronize();
  return world;
}

class Failures : public testing::TestWithParam<SleepCase> {};

TEST_P(Failures, AreAssumedNotToCome) { judge(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    States, Failures,
    testing::Values(
        SleepCase{"none", [] { return crossed(); }, true},
        SleepCase{"behind_a_message", [] { return behind_a_message(0); }, true, true, false},
        SleepCase{"on_another_device", [] { return behind_a_message(1); }, true, true, false},
        SleepCase{"behind_work", behind_work, true, true, false},
        SleepCase{"behind_a_host_function", behind_a_host_function, true, true, false},
        SleepCase{"behind_the_dead", behind_the_dead, true},
        SleepCase{"behind_the_unshown", behind_the_unshown, true, true, false},
        SleepCase{"behind_an_unshown_event", behind_an_unshown_event, true},
        SleepCase{"told_to_a_callback", told_to_a_callback, true, true, false}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Failures, AreNamed) {
  World world = behind_a_message(0);
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.assumptions.size(), 1U);
  EXPECT_EQ(text_of(verdict.assumptions.front()),
            "no kernel that a device of rank 0 may still run fails");
}

}  // namespace
}  // namespace gridlock::detect::states
