// Which process owns a box, and that other processes are not affected.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

TEST(Claim, ProgramsThatAreNoRanksNoticeNothing) {
  // perl is an interpreter that every Debian has.
  const std::vector<std::vector<std::string>> commands = {
      {"/bin/true"}, {"sh", "-c", "exit 0"}, {"perl", "-e", "1"}};
  for (const std::vector<std::string>& command : commands) {
    Recorded child(command);
    EXPECT_EQ(child.wait(), 0) << command[0];
    EXPECT_EQ(child.output(), "") << command[0];
    EXPECT_EQ(child.look().pid, 0) << command[0];
  }
}

TEST(Claim, AShellThatStartsTheRankDoesNotTakeItsBox) {
  // In the shell, "/proc/self/exe" would be the shell, so this resolves the program's path first.
  char path[4096] = {};
  ASSERT_GT(readlink("/proc/self/exe", path, sizeof path - 1), 0);
  Recorded named({"sh", "-c", "true; \"$0\" --part collectives; true", path});
  EXPECT_EQ(named.wait(), 0);
  EXPECT_EQ(named.output(), "");
  const record::Snapshot snapshot = named.look();
  EXPECT_NE(snapshot.pid, 0);
  EXPECT_NE(snapshot.pid, named.pid()) << "the shell waited, its child was the rank";
  EXPECT_EQ(snapshot.operations.size(), 4U);
}

TEST(Claim, WithoutABoxNothingChanges) {
  for (const char* boxes :
       {"GRIDLOCK_BOXES=", "GRIDLOCK_BOXES=/proc/1/fd:99999", "GRIDLOCK_BOXES=nonsense"}) {
    Recorded child(part("collectives"), {boxes});
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(child.output(), "");
    EXPECT_EQ(child.look().pid, 0);
  }
}

TEST(Claim, AForkedWorkerDoesNotWriteItsParentsBox) {
  Recorded child(part("forks"));
  EXPECT_EQ(child.wait(), 0);
  const record::Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.pid, child.pid());
  EXPECT_EQ(snapshot.streams.size(), 1U) << "the worker's stream is not the rank's";
  EXPECT_EQ(snapshot.threads.size(), 1U);
}

TEST(Claim, AForkThatComesBeforeTheFirstCallMayBeTheRank) {
  Recorded child(part("forks_before"));
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(std::to_string(child.look().pid), child.output());
}

TEST(Claim, AProgramThatReplacesTheRanksOwnIsTheRank) {
  Recorded child(part("becomes_another"));
  EXPECT_EQ(child.wait(), 0) << child.output();
  const record::Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.pid, child.pid());
  EXPECT_EQ(snapshot.operations.size(), 4U);
  EXPECT_EQ(snapshot.communicators.size(), 1U) << "what was recorded before is gone";
}

TEST(Claim, AProgramStartedByTheRankDoesNotTakeItsBox) {
  Recorded child(part("starts_another_after_its_own"));
  EXPECT_EQ(child.wait(), 0) << child.output();
  const record::Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.pid, child.pid());
  EXPECT_EQ(snapshot.operations.size(), 1U);
}

TEST(Claim, WhoMakesCommunicatorsIsTheRankAndNotWhoOnlyUsedCudaBefore) {
  Recorded child(part("starts_another_after_cuda"));
  EXPECT_EQ(child.wait(), 0) << child.output();
  const record::Snapshot snapshot = child.look();
  EXPECT_NE(snapshot.pid, child.pid());
  EXPECT_EQ(snapshot.operations.size(), 4U);
}

TEST(Claim, ARankIsItselfAgainWhenItMakesCommunicatorsAfterAProgramThatHasEnded) {
  Recorded child(part("starts_another_before_its_own"));
  EXPECT_EQ(child.wait(), 0) << child.output();
  const record::Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.pid, child.pid());
  EXPECT_EQ(snapshot.communicators.size(), 1U);
  EXPECT_TRUE(snapshot.operations.empty());
}

TEST(Claim, ARankIsItselfAlsoBesideAProgramThatMadeACommunicatorOfOne) {
  Recorded child(part("starts_another_that_stays"));
  EXPECT_EQ(child.wait(), 0) << child.output();
  const record::Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.pid, child.pid());
  EXPECT_EQ(snapshot.communicators.size(), 1U);
}

}  // namespace
}  // namespace gridlock
