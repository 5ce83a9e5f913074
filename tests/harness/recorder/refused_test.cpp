// A call that fails counts as not made: it keeps no slot and holds up nobody.
#include <gtest/gtest.h>
#include <nccl.h>

#include <vector>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

using record::Call;
using record::Snapshot;

struct Seen {
  Call call;
  int slot;
  int result;
  bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Seen& seen) {
  return out << record::to_string(seen.call) << " #" << seen.slot << " -> " << seen.result;
}

std::vector<Seen> operations(const Snapshot& snapshot) {
  std::vector<Seen> seen;
  for (const record::Operation& operation : snapshot.operations) {
    EXPECT_FALSE(operation.open) << "its call has returned";
    seen.push_back({operation.call, static_cast<int>(operation.slot), operation.result});
  }
  return seen;
}

TEST(Refused, CallsGiveTheirSlotsBack) {
  const Snapshot snapshot = after("refused");
  const std::vector<Seen> expected = {
      {Call::all_reduce, 0, ncclSuccess},
      {Call::all_reduce, 1, ncclInvalidArgument},
      {Call::all_reduce, 1, ncclSuccess},
      // A group in which one call was refused.
      {Call::all_reduce, 2, ncclSuccess},
      {Call::broadcast, 3, ncclInvalidArgument},
      {Call::send, 0, ncclInvalidArgument},
      {Call::recv, 0, ncclInvalidArgument},
      // A group that was refused at its end.
      {Call::send, 0, ncclInvalidUsage},
      {Call::all_reduce, 3, ncclSuccess},
      {Call::send, 0, ncclSuccess},
      {Call::recv, 0, ncclSuccess},
      {Call::all_reduce, 4, ncclSuccess},
      {Call::send, 0, ncclInvalidArgument},
  };
  EXPECT_EQ(operations(snapshot), expected);
  ASSERT_EQ(snapshot.communicators.size(), 1U);
  EXPECT_EQ(snapshot.communicators[0].next_slot, 5U);
  EXPECT_EQ(snapshot.communicators[0].failed_call, Call::send);
  EXPECT_EQ(snapshot.communicators[0].failed_result, ncclInvalidArgument);
  ASSERT_EQ(snapshot.streams.size(), 1U);
  EXPECT_EQ(snapshot.streams[0].completed, snapshot.streams[0].enqueued) << "nothing is in flight";
}

TEST(Refused, AGroupThatIsOnlySimulatedIsNotMade) {
  const Snapshot snapshot =
      after("simulated_group", {},
            "gridlock-sim: ncclGroupSimulateEnd is not covered; the group was dropped\n");
  const std::vector<Seen> expected = {{Call::send, 0, record::kSimulated},
                                      {Call::all_reduce, 0, ncclSuccess}};
  EXPECT_EQ(operations(snapshot), expected);
  EXPECT_EQ(snapshot.communicators.at(0).next_slot, 1U);
  EXPECT_EQ(snapshot.communicators.at(0).failed_call, Call::none);
}

TEST(Refused, ASplitIsNotMade) {
  const Snapshot snapshot = after("refused_split");
  const record::Communicator& parent = snapshot.communicators.at(0);
  EXPECT_EQ(parent.calls, 2U);  // its init, and one split
  EXPECT_EQ(parent.failed_call, Call::comm_split);
  EXPECT_EQ(parent.failed_result, ncclInvalidArgument);
}

// The other members of the communicator have not seen the first attempt.
TEST(Refused, AnInitLeavesNothingBehind) {
  // Outside the range from which the kernel chooses ports for others.
  const std::vector<std::string> same_id = {"NCCL_COMM_ID=127.0.0.1:10777"};
  Recorded plain(part("init"), same_id);
  ASSERT_EQ(plain.wait(), 0) << plain.output();
  Recorded refused(part("refused_init"), same_id);
  ASSERT_EQ(refused.wait(), 0) << refused.output();
  const auto of_plain = plain.look().communicators;
  const auto of_refused = refused.look().communicators;
  ASSERT_EQ(of_plain.size(), 1U);
  ASSERT_EQ(of_refused.size(), 2U);
  EXPECT_EQ(of_refused[0].id, 0U) << "it never was";
  EXPECT_EQ(of_refused[0].size, 0);
  EXPECT_EQ(of_refused[1].id, of_plain[0].id);
}

TEST(Refused, AFinalizeLeavesTheCommunicatorAsItWas) {
  const Snapshot snapshot = after("refused_finalize");
  const record::Communicator& communicator = snapshot.communicators.at(0);
  EXPECT_EQ(communicator.state, record::CommunicatorState::initialising);
  EXPECT_EQ(communicator.last_call, Call::comm_init);
  EXPECT_EQ(communicator.calls, 1U);
}

TEST(Refused, ADestroyLeavesTheCommunicatorAsItWas) {
  const record::Communicator communicator = after("refused_destroy").communicators.at(0);
  EXPECT_EQ(communicator.state, record::CommunicatorState::aborted) << "its handle is known";
  EXPECT_EQ(communicator.last_call, Call::comm_abort);
  EXPECT_EQ(communicator.calls, 2U);
}

TEST(Refused, AGroupClosesNothing) {
  const Snapshot snapshot = after("refused_group_of_closings");
  const record::Communicator& kept = snapshot.communicators.at(0);
  EXPECT_EQ(kept.state, record::CommunicatorState::ready);
  EXPECT_EQ(kept.last_call, Call::comm_init);
  EXPECT_EQ(kept.calls, 1U);
  EXPECT_FALSE(kept.uncertain);
  const record::Communicator& destroyed = snapshot.communicators.at(1);
  EXPECT_EQ(destroyed.state, record::CommunicatorState::closed) << "its handle is known";
  EXPECT_EQ(destroyed.calls, 2U);
}

TEST(Refused, AGroupThatSucceedsCloses) {
  const Snapshot snapshot = after("group_of_closings");
  EXPECT_EQ(snapshot.communicators.at(0).state, record::CommunicatorState::closing);
  EXPECT_EQ(snapshot.communicators.at(1).state, record::CommunicatorState::closed);
}

TEST(Refused, AGroupThatFailsMayHaveMadeACommunicator) {
  const Snapshot snapshot = after("failed_group_with_a_split");
  EXPECT_EQ(snapshot.communicators.at(0).calls, 2U);  // its init, and the split
  const record::Communicator& child = snapshot.communicators.at(1);
  EXPECT_EQ(child.state, record::CommunicatorState::ready);
  EXPECT_EQ(child.next_slot, 1U);
  EXPECT_TRUE(child.uncertain);
}

TEST(Refused, ALaunchMayHaveBegun) {
  const Snapshot snapshot = after("failed_launch");
  for (const record::Communicator& communicator : snapshot.communicators) {
    EXPECT_TRUE(communicator.uncertain) << communicator.name;
  }
}

TEST(Refused, ArgumentsThatAreMissingAreNcclsToRefuse) {
  EXPECT_EQ(after("missing_arguments").communicators.size(), 1U);
}

TEST(Refused, AnEmptyCollectiveTakesNoSlot) {
  const Snapshot snapshot = after("empty_collective");
  EXPECT_EQ(operations(snapshot), (std::vector<Seen>{{Call::all_reduce, 0, ncclSuccess}}));
  EXPECT_EQ(snapshot.communicators.at(0).next_slot, 1U);
}

TEST(Refused, ACommunicatorThatIsNoneIsNotAMissingOne) {
  const Snapshot snapshot = after("no_communicator");
  ASSERT_EQ(snapshot.operations.size(), 1U);
  EXPECT_EQ(snapshot.operations[0].result, ncclInvalidArgument);
}

}  // namespace
}  // namespace gridlock
