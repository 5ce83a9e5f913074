// Calls whose thread waits for other ranks to connect: the reader says which slots they will get.
#include <vector>

#include "tests/harness/record/box_fixture.h"

namespace gridlock::record {
namespace {

class AwaitedTest : public BoxTest {
 protected:
  struct Announced {
    Call call = Call::all_reduce;
    std::uint64_t slot = 0;
    std::int32_t peer = -1;
    std::uint32_t thread = 0;
    std::int64_t time_ns = 100;
    std::uint8_t graph = kNoGraph;
  };
  std::uint64_t announce(const Announced& what) {
    OperationEntry entry{.time_ns = what.time_ns,
                         .call = what.call,
                         .peer = what.peer,
                         .communicator = 0,
                         .stream = 0,
                         .thread = what.thread,
                         .count = 16,
                         .slot = what.slot};
    entry.graph = what.graph;
    return writer_.add(entry, true);
  }
  void connect_in_group(std::uint64_t first, std::uint32_t thread = 0) {
    writer_.put(thread, ThreadEntry{.tid = 77 + thread,
                                    .since_ns = 200,
                                    .position = 1 + first,
                                    .call = Call::group_end,
                                    .waits = Waits::operation});
  }
  void has_launched(std::uint64_t collectives) { box_->communicators[0].next_slot = collectives; }
};

TEST_F(AwaitedTest, TheyComeNextWhateverTheyAnnounced) {
  const std::uint64_t first = announce({.slot = 3});
  announce({.slot = 4});
  connect_in_group(first);
  has_launched(4);  // another thread's call was launched before
  const std::vector<Operation> late = look().operations;
  ASSERT_EQ(late.size(), 2U);
  EXPECT_EQ(late[0].slot, 4U);
  EXPECT_EQ(late[1].slot, 5U);
  EXPECT_TRUE(late[0].open && late[1].open) << "the launch may be under way";
  has_launched(3);
  const std::vector<Operation> as_announced = look().operations;
  EXPECT_EQ(as_announced.at(0).slot, 3U);
  EXPECT_EQ(as_announced.at(1).slot, 4U);
  EXPECT_FALSE(as_announced[0].open || as_announced[1].open);
}

TEST_F(AwaitedTest, MessagesAreCountedByPairAndDirection) {
  CommunicatorEntry entry = box_->communicators[0];
  entry.serial = 1;
  writer_.put(0, entry);
  writer_.put_pair(0, pack_pair(1, 2, false));
  writer_.set_messages(0, 6);
  const std::uint64_t first = announce({.call = Call::send, .slot = 5, .peer = 2});
  announce({.call = Call::recv, .slot = 0, .peer = 2});
  announce({.call = Call::send, .slot = 6, .peer = 2});
  connect_in_group(first);
  const std::vector<Operation> found = look().operations;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].slot, 6U);
  EXPECT_TRUE(found[0].open);
  EXPECT_EQ(found[1].slot, 0U);
  EXPECT_FALSE(found[1].open);
  EXPECT_EQ(found[2].slot, 7U);
}

TEST_F(AwaitedTest, ACapturedCallHasNoSlot) {
  const std::uint64_t first = announce({.graph = kIntoGraph});
  announce({.slot = 1});
  connect_in_group(first);
  const std::vector<Operation> found = look().operations;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].communicator, kNone);
  EXPECT_TRUE(found[0].open);
  EXPECT_EQ(found[1].communicator, 0U);
  EXPECT_EQ(found[1].slot, 0U) << "the next one of those that are no captured";
}

TEST_F(AwaitedTest, MessagesThatAreNotCountedProveNothing) {
  const std::uint64_t first = announce({.call = Call::send, .slot = 5, .peer = 2});
  connect_in_group(first);
  const Snapshot snapshot = look();
  EXPECT_TRUE(snapshot.operations.at(0).open);
  EXPECT_TRUE(snapshot.communicators.at(0).uncertain);
}

TEST_F(AwaitedTest, ALaunchMayStillBeRefused) {
  announce({});
  writer_.begin_launch(0, {.call = Call::group_end, .device = 0, .time_ns = 200});
  EXPECT_TRUE(look().operations.at(0).open);
}

TEST_F(AwaitedTest, WhatIsCalledAfterTheThreadWasReadIsOpen) {
  const std::uint64_t first = announce({});
  connect_in_group(first);
  announce({.slot = 1, .time_ns = 300});
  const std::vector<Operation> found = look().operations;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0].open);
  EXPECT_TRUE(found[1].open);
}

TEST_F(AwaitedTest, NothingIsKnownOfTwoThreadsThatCallAtOnce) {
  writer_.put(1, ThreadEntry{.tid = 78});
  const std::uint64_t first = announce({});
  connect_in_group(first);
  const std::uint64_t other = announce({.slot = 1, .thread = 1});
  EXPECT_FALSE(look().communicators.at(0).uncertain);
  connect_in_group(other, 1);
  EXPECT_TRUE(look().communicators.at(0).uncertain);
}

TEST_F(AwaitedTest, AGroupIsSeenBehindFinishedWork) {
  const std::uint64_t first = announce({});
  for (std::uint64_t position = 1; position <= 100; ++position) add(position);
  progress(100, 100);
  has_launched(100);
  connect_in_group(first);
  const std::vector<Operation> found = look(first + 101).operations;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].index, first);
  EXPECT_EQ(found[0].slot, 100U);
}

TEST_F(AwaitedTest, AGroupThatHasLostCallsProvesNothing) {
  const std::uint64_t first = announce({});
  connect_in_group(first);
  for (std::uint64_t position = 1; position < kOperations; ++position) add(position);
  progress(kOperations - 1, kOperations - 1);
  EXPECT_FALSE(look().overrun);
  add(kOperations);
  progress(kOperations, kOperations);
  EXPECT_TRUE(look().overrun);
}

}  // namespace
}  // namespace gridlock::record
