// An operation is visible to others once the vendor's call has returned.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

using record::Call;
using record::Snapshot;

TEST(Groups, GetTheirPositionsAtTheirEnd) {
  const Snapshot snapshot = after("group_beside_a_thread");
  ASSERT_EQ(snapshot.operations.size(), 4U);
  const record::Operation& of_group = snapshot.operations[0];
  const record::Operation& of_thread = snapshot.operations[2];
  const record::Operation& wait = snapshot.operations[3];
  EXPECT_EQ(of_thread.position, 1U);
  EXPECT_EQ(of_thread.called, 0U);
  EXPECT_EQ(of_thread.launched, 1U);
  EXPECT_EQ(wait.call, Call::event_wait);
  EXPECT_EQ(wait.event_position, 1U) << "the group is not on the stream when the event is recorded";
  EXPECT_EQ(wait.launched, 2U);
  EXPECT_EQ(of_group.position, 2U);
  EXPECT_EQ(of_group.called, 2U);
  EXPECT_EQ(of_group.launched, 3U);
  EXPECT_EQ(snapshot.operations[1].position, 2U);
}

TEST(Groups, DoNotHoldBackACollectiveOfOneRank) {
  const Snapshot snapshot = after("copies_in_a_group");
  ASSERT_EQ(snapshot.operations.size(), 3U);
  EXPECT_EQ(snapshot.operations[0].call, Call::all_reduce);
  EXPECT_EQ(snapshot.operations[0].position, 1U);
  EXPECT_EQ(snapshot.operations[0].leader, 0U) << "it is no part of the group";
  EXPECT_EQ(snapshot.operations[1].call, Call::host_function);
  EXPECT_EQ(snapshot.operations[1].position, 2U);
  EXPECT_EQ(snapshot.operations[2].call, Call::all_reduce);
  EXPECT_EQ(snapshot.operations[2].slot, 1U);
  EXPECT_EQ(snapshot.operations[2].position, 0U) << "in place, so NCCL enqueues nothing";
  EXPECT_EQ(snapshot.communicators.at(0).next_slot, 2U);
  ASSERT_EQ(snapshot.streams.size(), 1U);
  EXPECT_EQ(snapshot.streams[0].enqueued, 2U);
}

TEST(Groups, DropWhatARankSendsToItselfInPlace) {
  const Snapshot snapshot = after("own_messages_in_place");
  ASSERT_EQ(snapshot.operations.size(), 4U);
  for (const std::size_t at : {0U, 1U}) {
    EXPECT_EQ(snapshot.operations[at].result, record::kDropped);
    EXPECT_EQ(snapshot.operations[at + 2].result, 0);
    EXPECT_EQ(snapshot.operations[at + 2].position, 1U);
  }
  ASSERT_EQ(snapshot.streams.size(), 2U);
  EXPECT_EQ(snapshot.streams[0].enqueued, 0U);
  EXPECT_EQ(snapshot.streams[1].enqueued, 1U);
}

TEST(Groups, HoldNobodyWhileTheyAreOpen) {
  Recorded child(part("group_over_an_allocation"));
  const Snapshot snapshot = child.look_until([](const Snapshot& seen) {
    return !seen.threads.empty() && seen.threads[0].call == Call::device_malloc &&
           seen.operations.size() == 2;
  });
  ASSERT_EQ(snapshot.operations.size(), 2U);
  EXPECT_EQ(snapshot.operations[0].call, Call::host_function);
  EXPECT_EQ(snapshot.threads.at(0).launches, 1U) << "it waits for the host function";
  EXPECT_TRUE(snapshot.operations[1].open);
  EXPECT_EQ(snapshot.operations[1].launched, 0U);
  EXPECT_EQ(snapshot.streams.at(snapshot.operations[1].stream).enqueued, 0U);
  EXPECT_EQ(snapshot.communicators.at(0).next_slot, 0U);
}

TEST(Groups, MayUseAnyNumberOfStreams) {
  const Snapshot snapshot = after("group_of_many_streams");
  EXPECT_EQ(snapshot.streams.size(), 40U);
  for (const record::Stream& stream : snapshot.streams) {
    EXPECT_EQ(stream.enqueued, 1U);
    EXPECT_EQ(stream.completed, 1U);
  }
}

TEST(Graphs, HoldACommunicatorUntilTheyAreDestroyed) {
  const Snapshot snapshot = after("graphs_hold", {"GRIDLOCK_SIM_DEVICES=2"});
  ASSERT_EQ(snapshot.communicators.size(), 2U);
  EXPECT_EQ(snapshot.communicators[0].graphs, 2U);
  EXPECT_EQ(snapshot.communicators[1].graphs, 0U);
}

TEST(Graphs, CountNoMoreOnceTheyMayEndUnseen) {
  const Snapshot snapshot = after("graph_is_captured_into", {"GRIDLOCK_SIM_DEVICES=2"});
  ASSERT_EQ(snapshot.communicators.size(), 2U);
  EXPECT_EQ(snapshot.communicators[0].graphs, 0U);
}

TEST(Groups, EndWithTheirThread) {
  const Snapshot snapshot = after("group_left_open");
  ASSERT_EQ(snapshot.operations.size(), 1U);
  EXPECT_FALSE(snapshot.operations[0].open);
  EXPECT_EQ(snapshot.operations[0].result, record::kDropped);
  EXPECT_EQ(snapshot.communicators.at(0).next_slot, 0U);
}

TEST(Streams, OfThreadsThatAreGoneMakeRoom) {
  EXPECT_LE(after("streams_of_many_threads").streams.size(), 256U);  // and no stream was lost
}

TEST(Groups, AreCountedThoughTheRingIsSmaller) {
  const Snapshot snapshot = after("groups_larger_than_the_ring", {"GRIDLOCK_SIM_DEVICES=2"});
  EXPECT_EQ(snapshot.communicators.at(0).next_slot, 5001U);
  EXPECT_EQ(snapshot.operations.back().slot, 5000U);
  EXPECT_EQ(snapshot.operations.back().position, 2U);
}

}  // namespace
}  // namespace gridlock
