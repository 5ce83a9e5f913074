// Programs on the real NCCL. Most have threads that sleep in the kernel: it has threads, code and
// constructors of its own, none of which may count as the program's, or hide what the program does.
#include "tests/real_nccl/real_nccl.h"

#include <gtest/gtest.h>

#include "tests/adversarial/driver.h"

namespace gridlock::adversarial {
namespace {

class OnRealNccl : public testing::TestWithParam<const char*> {};

TEST_P(OnRealNccl, IsJudgedAsItDeclares) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const Program program = find_program(GetParam());
  if (const std::string why = why_not(program); !why.empty()) GTEST_SKIP() << why;
  const Said said = watch(program, Mode::lenient, {.nccl = GRIDLOCK_NCCL});
  EXPECT_EQ(said.wrong, "") << said.verdict << '\n' << said.output;
}

// These declare how they end on our NCCL.
void expect_to_complete(const char* name) {
  const Said said = watch(find_program(name), Mode::lenient, {.nccl = GRIDLOCK_NCCL});
  EXPECT_EQ(said.outcome, "completes") << said.output;
}

TEST(RealNcclOnly, AnAbortLetsAPeerGo) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  expect_to_complete("deadlocked/communicators/abort_lets_a_peer_go");
}

TEST(RealNcclOnly, AGroupsCommunicatorsAreSorted) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  expect_to_complete("deadlocked/groups/named_in_other_orders");
}

INSTANTIATE_TEST_SUITE_P(Programs, OnRealNccl,
                         testing::Values("deadlocked/kernel/loader_waits_for_the_rank",
                                         "deadlocked/kernel/polls_for_a_stuck_child",
                                         "deadlocked/kernel/queue_is_full",
                                         "deadlocked/kernel/semaphores_of_a_loader",
                                         "deadlocked/processes/fork_with_a_lock_held",
                                         "deadlocked/processes/python_queue.py",
                                         "deadlocked/processes/relay_between_ranks",
                                         "healthy/kernel/memory_is_mapped_late",
                                         "healthy/kernel/semaphore_is_opened_late",
                                         "healthy/processes/python_queue.py",
                                         "healthy/processes/relay_between_ranks"),
                         [](const auto& named) { return test_name(named.param); });

}  // namespace
}  // namespace gridlock::adversarial
