// Threads that ask again and again whether something has ended. They can act, so nothing is proven.
// But if the job stands still, they wait.
#include <gtest/gtest.h>

#include "harness/detect/graph/parameters.h"
#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

// Ranks 1 and 2 poll for an all-reduce that rank 0 never calls: it waits for rank 1's.
World polled_by_two() {
  World world = two_communicators(3);
  world[0].in("second").all_reduce("loss").stream_synchronize();
  for (Rank* rank : world.some(1, 2)) rank->in("first").all_reduce("sum").polls_stream();
  return world;
}

TEST(Askers, WaitForWhatTheyAskAbout) {
  World world = polled_by_two();
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::missing_rank));
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
  ASSERT_EQ(verdict.waiting.size(), 2U);
  EXPECT_EQ(verdict.waiting[1].ranks, (std::vector<int>{1, 2}));
  EXPECT_EQ(verdict.waiting[1].host_call, Call::poll);
}

TEST(Askers, MustHaveAskedJustBefore) {
  World world = polled_by_two();
  world.parameters.now_ns = world[1].box.threads[0].asked.at_ns + kAsksAgainNs + 1000;
  EXPECT_EQ(world.stall().cause, Cause::host_stuck);
  world[1].box.threads[0].asked.at_ns += 1000;
  EXPECT_EQ(world.stall().culprits, std::vector<int>{2}) << "rank 1 still asks";
}

TEST(Askers, CountFromTheLastQuestionWhereNoTimeIsGiven) {
  World world = polled_by_two();
  world[1].box.threads[0].asked.at_ns += 2 * kAsksAgainNs;
  EXPECT_EQ(world.stall().culprits, std::vector<int>{2}) << "rank 1 has asked since";
}

TEST(Askers, OfAKernelThatDoesNotEnd) {
  World world(2);
  world[0].all_reduce("x").device_synchronize();
  world[1].polls_stream();  // nothing that is recorded is on it
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::device_stuck));
  EXPECT_EQ(verdict.culprits, std::vector<int>{1});
}

// Rank 0 leaves out a split, of which the others ask whether it is ready.
TEST(Askers, OfACommunicatorThatDoesNotForm) {
  World world(3);
  world[0].all_reduce("x").stream_synchronize();
  for (Rank* rank : world.some(1, 2)) {
    rank->communicator_call(Call::comm_split).returned().polls_communicator();
  }
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::missing_rank));
  EXPECT_EQ(verdict.culprits, std::vector<int>{0});
}

TEST(Askers, OfAReceive) {
  World world = with_mpi(2);
  world[0].all_reduce("x").stream_synchronize();
  world[1].polls_request(world[1].mpi_start(Call::mpi_recv, "m", 0));
  ASSERT_EQ(world.verdict().outcome, Outcome::running);
  const Verdict verdict = world.stall();
  EXPECT_EQ(to_string(verdict.cause), to_string(Cause::cycle));
  EXPECT_EQ(verdict.culprits, (std::vector<int>{0, 1}));
}

// Rank 1 has asked about its stream, and is in a launch now, which waits for what rank 0 may bring.
TEST(Askers, ThatLaunchAreInNoProof) {
  World world(2);
  world[1].all_reduce("x").polls_stream();
  const record::Thread::Asked question = world[1].box.threads[0].asked;
  world[1].call_on_device(Call::kernel_launch);
  world[1].box.threads[0].asked = question;  // as if the record let it stand
  world.parameters.now_ns = world[1].box.threads[0].since_ns + 1;
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
}

TEST(Askers, OfWhatTheBoxNoLongerHasAreInHostCode) {
  World world = polled_by_two();
  for (Rank* rank : world.some(1, 2)) rank->box.threads[0].asked.of = 200;
  EXPECT_EQ(world.stall().cause, Cause::host_stuck);
}

}  // namespace
}  // namespace gridlock::detect::states
