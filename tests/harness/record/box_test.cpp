// Writer and reader against each other: the reader sees at every instant what the writer wrote.
#include "tests/harness/record/box_fixture.h"

namespace gridlock::record {
namespace {

TEST_F(BoxTest, WhatGoesInComesOut) {
  add(1);
  progress(1, 0);
  const Snapshot snapshot = look();
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_EQ(snapshot.pid, 42);
  EXPECT_EQ(snapshot.rank, 3);
  EXPECT_EQ(snapshot.host, "node7");
  EXPECT_EQ(snapshot.backend, "sim");
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].tid, 77);
  EXPECT_TRUE(snapshot.threads[0].exists);
  ASSERT_EQ(snapshot.communicators.size(), 1U);
  EXPECT_EQ(snapshot.communicators[0].name, "dp");
  ASSERT_EQ(snapshot.streams.size(), 1U);
  EXPECT_EQ(snapshot.streams[0].started, 1U);
  EXPECT_EQ(snapshot.streams[0].completed, 0U);
  EXPECT_TRUE(snapshot.streams[0].non_blocking);
  ASSERT_EQ(snapshot.operations.size(), 1U);
  EXPECT_EQ(snapshot.operations[0].call, Call::all_reduce);
  EXPECT_EQ(snapshot.operations[0].label.view(), "bucket");
  EXPECT_EQ(snapshot.last_change_ns, 1001);
  EXPECT_EQ(snapshot.recorded, 1U);
}

TEST_F(BoxTest, GivesModulesIfAsked) {
  box_->modules[0] = {.begin = 0x1000, .end = 0x3000, .bias = 0x800};
  Text<8>("a.so").view().copy(box_->modules[0].path, sizeof box_->modules[0].path);
  store_release(box_->header.modules, 1U);
  EXPECT_EQ(read(box_.get(), sizeof(Box), 0, Modules::leave_out).modules.size(), 0U);
  const Snapshot snapshot = read(box_.get(), sizeof(Box), 0, Modules::read);
  ASSERT_EQ(snapshot.modules.size(), 1U);
  EXPECT_EQ(snapshot.modules[0].begin, 0x1000U);
  EXPECT_EQ(snapshot.modules[0].end, 0x3000U);
  EXPECT_EQ(snapshot.modules[0].bias, 0x800U);
  EXPECT_EQ(snapshot.modules[0].path, "a.so");
}

TEST_F(BoxTest, GivesWhatIsInFlightHoweverOld) {
  for (std::uint64_t position = 1; position <= 10; ++position) add(position);
  progress(5, 4);
  const Snapshot snapshot = look(9);
  ASSERT_EQ(snapshot.operations.size(), 6U);
  EXPECT_EQ(snapshot.operations.front().position, 5U);
  EXPECT_FALSE(snapshot.overrun);
}

TEST_F(BoxTest, GivesWhatWasAskedForThoughItIsDone) {
  for (std::uint64_t position = 1; position <= 10; ++position) add(position);
  progress(10, 10);
  EXPECT_EQ(look(7).operations.size(), 3U);
  EXPECT_EQ(look(10).operations.size(), 0U);
  EXPECT_EQ(look(10).last_change_ns, 1010);
}

TEST_F(BoxTest, SaysWhenAnOperationInFlightFellOut) {
  for (std::uint64_t position = 1; position <= kOperations + 1; ++position) add(position);
  progress(1, 0);
  EXPECT_TRUE(look().overrun);
  progress(3, 2);
  EXPECT_FALSE(look().overrun);
  EXPECT_EQ(look(kOperations + 1).operations.size(), kOperations - 1);
}

TEST_F(BoxTest, PositionsOutgrowTheirWords) {
  constexpr std::uint64_t kBig = 0x1'0000'0002;
  add(kBig);
  progress(1, 0xffffffff);
  const Snapshot snapshot = look();
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_EQ(snapshot.streams[0].started, kBig - 1);
  EXPECT_EQ(snapshot.streams[0].completed, kBig - 3);
}

TEST_F(BoxTest, LeavesOutAnOperationThatIsBeingWritten) {
  add(1);
  const std::uint64_t torn = add(2);
  box_->operations[torn].sequence = 2 * torn + 1;
  const Snapshot snapshot = look();
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_TRUE(snapshot.overrun) << "position 2 is in flight and unknown: no proof from this one";
  for (const Operation& operation : snapshot.operations) EXPECT_NE(operation.index, torn);
}

TEST_F(BoxTest, WhatComesAfterAnUnfinishedOperationIsLeftForTheNextTime) {
  for (std::uint64_t position = 1; position <= 4; ++position) add(position);
  progress(4, 4);
  box_->operations[2].sequence -= 1;
  const Snapshot early = look();
  EXPECT_EQ(early.operations.size(), 2U);
  EXPECT_EQ(early.recorded, 4U);
  EXPECT_TRUE(early.overrun) << "what is in flight is not all known";
  box_->operations[2].sequence += 1;
  const Snapshot later = look(2);
  EXPECT_EQ(later.operations.size(), 2U);
  EXPECT_FALSE(later.overrun);
}

TEST_F(BoxTest, AThreadThatIsBeingWrittenMayDoAnything) {
  writer_.put(0, ThreadEntry{.tid = 77, .call = Call::device_synchronize, .waits = Waits::device});
  EXPECT_EQ(look().threads[0].waits, Waits::device);
  box_->threads[0].sequence += 1;
  EXPECT_EQ(look().threads[0].waits, Waits::nothing);
  EXPECT_EQ(look().damage, "");
}

TEST_F(BoxTest, TheEpochChangesAtEveryTransition) {
  const std::uint64_t epoch = look().threads[0].epoch;
  writer_.put(0, ThreadEntry{.tid = 77});
  EXPECT_GT(look().threads[0].epoch, epoch);
}

// One all-reduce on stream 0 that is called and not launched.
std::uint64_t announce(Writer& writer) {
  OperationEntry entry{
      .call = Call::all_reduce, .peer = -1, .communicator = 0, .stream = 0, .thread = 0, .slot = 7};
  return writer.add(entry, true);
}

TEST_F(BoxTest, WhatIsAnnouncedHasNoPosition) {
  add(1);
  progress(2, 1);
  announce(writer_);
  const Snapshot snapshot = look(2);
  ASSERT_EQ(snapshot.operations.size(), 1U) << "it is in flight, though all on the stream is past";
  EXPECT_TRUE(snapshot.operations[0].open);
  EXPECT_EQ(snapshot.operations[0].launched, 0U);
  EXPECT_EQ(snapshot.operations[0].position, 0U);
  EXPECT_EQ(snapshot.streams[0].enqueued, 1U);
  EXPECT_EQ(snapshot.streams[0].started, 2U) << "the stream has come to the call";
  EXPECT_EQ(snapshot.damage, "");
}

TEST_F(BoxTest, ALaunchGivesPositionAndSlot) {
  const std::uint64_t first = writer_.next_launch();
  const std::uint64_t index = announce(writer_);
  writer_.launch(index, {.called = first, .slot = 8, .position = 9, .launched = 2});
  store_release(box_->streams[0].enqueued, 9);
  const Operation operation = look().operations.at(0);
  EXPECT_FALSE(operation.open);
  EXPECT_EQ(operation.called, 1U);
  EXPECT_EQ(operation.launched, 2U);
  EXPECT_EQ(operation.slot, 8U);
  EXPECT_EQ(operation.position, 9U);
}

TEST_F(BoxTest, AnOperationIsFoundBehindOnesThatWereLaunchedBeforeIt) {
  const std::uint64_t late = announce(writer_);
  add(5);
  writer_.launch(late, {.slot = 1, .position = 6, .launched = 6});
  store_release(box_->streams[0].enqueued, 6);
  progress(6, 5);
  const Snapshot snapshot = look(2);
  ASSERT_EQ(snapshot.operations.size(), 1U);
  EXPECT_EQ(snapshot.operations[0].position, 6U);
  EXPECT_FALSE(snapshot.overrun);
}

TEST_F(BoxTest, WhatNcclLaunchesItselfIsNotOpen) {
  const std::uint64_t index = announce(writer_);
  writer_.launch(index, {.slot = 1, .launched = kDeferred});
  const Operation operation = look().operations.at(0);
  EXPECT_TRUE(operation.deferred);
  EXPECT_FALSE(operation.open);
  EXPECT_EQ(operation.launched, 0U);
}

TEST_F(BoxTest, WhatIsRefusedIsNotInFlight) {
  const std::uint64_t index = announce(writer_);
  writer_.set_result(index, 4);
  EXPECT_FALSE(look().operations.at(0).open);
  EXPECT_EQ(look().operations.at(0).result, 4);
  EXPECT_TRUE(look(1).operations.empty());
}

TEST_F(BoxTest, ALaunchAfterTheRingHasComeRoundChangesNothing) {
  const std::uint64_t index = announce(writer_);
  for (std::uint64_t position = 1; position <= kOperations; ++position) add(position);
  writer_.launch(index, {.slot = 1, .position = 7777, .launched = 7777});
  progress(4097, 4096);
  for (const Operation& operation : look().operations) EXPECT_NE(operation.position, 7777U);
}

TEST_F(BoxTest, WhoIsSeenToWaitInItsCallWasNotRefused) {
  announce(writer_);
  box_->communicators[0].next_slot = 7;
  writer_.put(
      0, ThreadEntry{.tid = 77, .stream = 0, .call = Call::all_reduce, .waits = Waits::operation});
  EXPECT_FALSE(look().operations.at(0).open);
}

TEST_F(BoxTest, AWaitSaysWhatWasLaunchedBeforeIt) {
  writer_.put(0, ThreadEntry{.tid = 77, .waits = Waits::device, .launches = 5});
  EXPECT_EQ(look().threads.at(0).launches, 5U);
}

TEST_F(BoxTest, AFailureIsToldUntilTheNextCollective) {
  box_->communicators[0].next_slot = 3;
  box_->communicators[0].failure = pack_failure(Call::all_reduce, 4, 3);
  EXPECT_EQ(look().communicators[0].failed_call, Call::all_reduce);
  EXPECT_EQ(look().communicators[0].failed_result, 4);
  box_->communicators[0].next_slot = 4;
  EXPECT_EQ(look().communicators[0].failed_call, Call::none);
}

TEST_F(BoxTest, TheBeginningOfAWaitIsAChange) {
  writer_.put(0, ThreadEntry{.tid = 77,
                             .since_ns = 123'456'789,
                             .call = Call::device_synchronize,
                             .waits = Waits::device});
  EXPECT_EQ(look().last_change_ns, 123'456'789);
}

TEST_F(BoxTest, AnEndedThreadNoLongerExists) {
  EXPECT_TRUE(look().threads.at(0).exists);
  writer_.put(0, ThreadEntry{.tid = 0});
  EXPECT_FALSE(look().threads.at(0).exists);
}

TEST_F(BoxTest, WhatIsNotUnderTheSequenceWordStaysWhenAnEntryChanges) {
  box_->communicators[0].failure = pack_failure(Call::all_reduce, 4, 0);
  writer_.put(0, CommunicatorEntry{.id = 5, .size = 8, .rank = 3, .name = Text<56>("renamed")});
  EXPECT_EQ(look().communicators[0].name, "renamed");
  EXPECT_EQ(look().communicators[0].failed_result, 4);
  box_->streams[0].enqueued = 7;
  writer_.put(0, StreamEntry{.handle = 0x20});
  EXPECT_EQ(look().streams[0].handle, 0x20U);
  EXPECT_EQ(box_->streams[0].enqueued, 7U);
}

TEST(NameOfResult, IsNcclsOwn) {
  EXPECT_EQ(name_of_result(0), "ncclSuccess");
  EXPECT_EQ(name_of_result(5), "ncclInvalidUsage");
  EXPECT_EQ(name_of_result(100), "an unknown error");
  EXPECT_EQ(name_of_result(kSimulated), "simulated only");
}

TEST_F(BoxTest, TheEndOfAWaitClearsWhatItWasFor) {
  writer_.put(0, ThreadEntry{.tid = 77,
                             .position = 5,
                             .stream = 0,
                             .call = Call::stream_synchronize,
                             .waits = Waits::stream});
  const std::uint64_t epoch = look().threads[0].epoch;
  writer_.end_wait(0);
  const Thread thread = look().threads.at(0);
  EXPECT_EQ(thread.tid, 77);
  EXPECT_GT(thread.epoch, epoch);
  EXPECT_EQ(thread.call, Call::none);
  EXPECT_EQ(thread.waits, Waits::nothing);
  EXPECT_EQ(thread.stream, kNone);
  EXPECT_EQ(thread.position, 0U);
}

TEST_F(BoxTest, AQuestionStandsUntilTheNextWait) {
  writer_.note_asked(0, pack_asked(Waits::stream, 0, 7), 5000);
  const Thread::Asked asked = look().threads.at(0).asked;
  EXPECT_EQ(asked.waits, Waits::stream);
  EXPECT_EQ(asked.of, 0U);
  EXPECT_EQ(asked.position, 7U);
  EXPECT_EQ(asked.at_ns, 5000);
  writer_.begin_launch(0, {.call = Call::kernel_launch, .device = 0, .time_ns = 6000});
  EXPECT_EQ(look().threads.at(0).asked.at_ns, 0) << "a thread in a launch asks nothing";
  writer_.end_launch(0);
  EXPECT_EQ(look().threads.at(0).asked.at_ns, 5000);
  writer_.put(0, ThreadEntry{.tid = 77, .call = Call::stream_synchronize, .waits = Waits::stream});
  writer_.end_wait(0);
  EXPECT_EQ(look().threads.at(0).asked.at_ns, 0);
}

TEST_F(BoxTest, AnEntryUsedAgainDisownsOlderOperations) {
  add(1);
  CommunicatorEntry entry = box_->communicators[0];
  entry.first_operation = 1;
  writer_.put(0, entry);
  EXPECT_EQ(look().operations.at(0).communicator, kNone);
}

}  // namespace
}  // namespace gridlock::record
