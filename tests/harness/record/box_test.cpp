// Writer and reader against each other: what goes in comes out, at every instant.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <thread>

#include "harness/record/format.h"
#include "harness/record/reader.h"
#include "harness/record/words.h"
#include "harness/record/writer.h"

namespace gridlock::record {
namespace {

class BoxTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(writer_.claim(42, 0));
    Header header{};
    header.rank = 3;
    header.world_size = 8;
    Text<64>("node7").view().copy(header.host, sizeof header.host);
    Text<8>("sim").view().copy(header.backend, sizeof header.backend);
    writer_.publish(header);
    writer_.put(0, ThreadEntry{.tid = 77, .call = Call::none, .waits = Waits::nothing});
    writer_.put(0, CommunicatorEntry{.id = 5,
                                     .calls = 1,
                                     .size = 8,
                                     .rank = 3,
                                     .state = CommunicatorState::ready,
                                     .last_call = Call::comm_init,
                                     .name = Text<56>("dp")});
    writer_.put(0, StreamEntry{.handle = 0x10, .device = 1, .non_blocking = 1});
  }

  // One all-reduce on stream 0; `position` is also handed to the device.
  std::uint64_t add(std::uint64_t position) {
    OperationEntry entry{.time_ns = 1000 + static_cast<std::int64_t>(position),
                         .call = Call::all_reduce,
                         .peer = -1,
                         .communicator = 0,
                         .stream = 0,
                         .thread = 0,
                         .event_stream = kNone,
                         .slot = position - 1,
                         .count = 16,
                         .position = position,
                         .label = Label("bucket")};
    const std::uint64_t index = writer_.add(entry, true);
    store_release(box_->streams[0].enqueued, position);
    return index;
  }
  void progress(std::uint32_t started, std::uint32_t completed) {
    box_->progress[0] = {.started = started, .completed = completed};
  }
  Snapshot look(std::uint64_t since = 0) { return read(box_.get(), sizeof(Box), since); }

  std::unique_ptr<Box> box_ = std::make_unique<Box>();
  Writer writer_{box_.get()};
};

TEST(EmptyBox, IsNotDamage) {
  const auto box = std::make_unique<Box>();
  const Snapshot snapshot = read(box.get(), sizeof(Box));
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_EQ(snapshot.pid, 0);
  EXPECT_EQ(read(box.get(), 0).damage, "");
}

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

TEST_F(BoxTest, RepositioningFindsTheOperation) {
  const std::uint64_t index = add(1);
  writer_.change_position(index, 9);
  store_release(box_->streams[0].enqueued, 9);
  EXPECT_EQ(look().operations.at(0).position, 9U);
}

TEST_F(BoxTest, AResultIsOpenUntilTheCallHasReturned) {
  writer_.open_results(0);
  const std::uint64_t index = add(1);
  EXPECT_TRUE(look().operations.at(0).open);
  writer_.set_result(index, 4);
  EXPECT_TRUE(look().operations.at(0).open) << "the group may still go on";
  writer_.close_results(0);
  EXPECT_FALSE(look().operations.at(0).open);
  EXPECT_EQ(look().operations.at(0).result, 4);
  writer_.open_results(0);
  EXPECT_FALSE(look().operations.at(0).open) << "it is older than the call that is under way";
}

TEST_F(BoxTest, WhoIsSeenToWaitInItsCallWasNotRefused) {
  writer_.open_results(0);
  add(1);
  writer_.put(0, ThreadEntry{.tid = 77,
                             .position = 1,
                             .stream = 0,
                             .call = Call::all_reduce,
                             .waits = Waits::operation});
  EXPECT_FALSE(look().operations.at(0).open);
}

TEST_F(BoxTest, AFailureIsToldUntilTheNextCollective) {
  box_->communicators[0].next_slot = 3;
  box_->communicators[0].failure = pack_failure(Call::all_reduce, 4, 3);
  EXPECT_EQ(look().communicators[0].failed_call, Call::all_reduce);
  EXPECT_EQ(look().communicators[0].failed_result, 4);
  box_->communicators[0].next_slot = 4;
  EXPECT_EQ(look().communicators[0].failed_call, Call::none);
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

TEST_F(BoxTest, AnEntryUsedAgainDisownsOlderOperations) {
  add(1);
  CommunicatorEntry entry = box_->communicators[0];
  entry.first_operation = 1;
  writer_.put(0, entry);
  EXPECT_EQ(look().operations.at(0).communicator, kNone);
}

TEST_F(BoxTest, IsClaimedOnce) {
  Writer other(box_.get());
  EXPECT_FALSE(other.claim(43, 0));
  EXPECT_FALSE(other.claim(43, 41));
  EXPECT_EQ(look().pid, 42);
  EXPECT_TRUE(other.claim(43, 42)) << "its owner is known to be gone";
  EXPECT_EQ(look().pid, 0) << "not readable before it is published again";
  other.publish(Header{});
  EXPECT_EQ(look().pid, 43);
  EXPECT_TRUE(look().threads.empty());
}

TEST_F(BoxTest, SaysHowOldPolledProgressMayBe) {
  EXPECT_FALSE(look().streams.at(0).polled);
  store_release(box_->streams[0].polled, 1);
  store_release(box_->streams[0].missed, 3);
  store_release(box_->header.polls, 7);
  writer_.put(0, StreamEntry{.handle = 0x20});
  EXPECT_EQ(look().polls, 7U);
  EXPECT_TRUE(look().streams.at(0).polled);
  EXPECT_EQ(look().streams.at(0).missed, 3U)
      << "a new user of the entry goes on with its positions";
}

TEST_F(BoxTest, CudaIsUnseenWhereStreamsHaveWorkAndNobodyCalledIt) {
  EXPECT_FALSE(look().cuda_unseen);
  add(1);
  EXPECT_TRUE(look().cuda_unseen);
  store_release(box_->header.cuda, 1);
  EXPECT_FALSE(look().cuda_unseen);
}

TEST_F(BoxTest, SaysWhatFoundNoRoom) {
  box_->header.lost_streams = 2;
  EXPECT_EQ(look().damage, "the box was too small, it lacks 2 streams");
}

TEST_F(BoxTest, ForeignBoxesAreRefused) {
  box_->header.version = 7;
  EXPECT_NE(look().damage.find("format 7"), std::string::npos);
  box_->header.version = kVersion;
  EXPECT_NE(read(box_.get(), sizeof(Box) / 2).damage.find("cut off"), std::string::npos);
  EXPECT_NE(read(box_.get(), 20).damage.find("cut off"), std::string::npos);
  box_->header.magic = 1;
  EXPECT_NE(look().damage.find("not a black box"), std::string::npos);
}

TEST_F(BoxTest, ASavedBoxIsComplete) {
  add(1);
  const auto path =
      std::filesystem::temp_directory_path() / ("gridlock-box-test-" + std::to_string(getpid()));
  ASSERT_EQ(save(box_.get(), sizeof(Box), path.string()), "");
  const Snapshot snapshot = read_file(path.string());
  std::filesystem::resize_file(path, 5000);
  const Snapshot cut = read_file(path.string());
  std::filesystem::remove(path);
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_EQ(snapshot.operations.size(), 1U);
  EXPECT_NE(cut.damage.find("cut off"), std::string::npos);
  EXPECT_NE(read_file(path.string()).damage.find("cannot open"), std::string::npos);
}

// A writer that never stops: every operation that the reader hands out must be whole.
TEST_F(BoxTest, NothingReadIsTorn) {
  std::atomic<bool> stop = false;
  std::thread writing([&] {
    for (std::uint64_t position = 1; !stop; ++position) {
      OperationEntry entry{.call = Call::all_reduce,
                           .peer = static_cast<std::int32_t>(position % 1000),
                           .communicator = 0,
                           .stream = 0,
                           .thread = 0,
                           .event_stream = kNone,
                           .slot = position,
                           .count = position,
                           .position = position};
      writer_.add(entry, true);
      store_release(box_->streams[0].enqueued, position);
      __atomic_store_n(&box_->progress[0].started, static_cast<std::uint32_t>(position),
                       __ATOMIC_RELEASE);
      __atomic_store_n(&box_->progress[0].completed, static_cast<std::uint32_t>(position),
                       __ATOMIC_RELEASE);
    }
  });
  std::size_t seen = 0;
  for (int i = 0; i < 200 || seen < 1000; ++i) {
    const Snapshot snapshot = look();
    EXPECT_EQ(snapshot.damage, "");
    for (const Operation& operation : snapshot.operations) {
      ++seen;
      ASSERT_EQ(operation.slot, operation.position);
      ASSERT_EQ(operation.count, operation.position);
      ASSERT_EQ(operation.index + 1, operation.position);
      ASSERT_EQ(operation.peer, static_cast<std::int32_t>(operation.position % 1000));
    }
  }
  stop = true;
  writing.join();
  EXPECT_GE(seen, 1000U);
}

}  // namespace
}  // namespace gridlock::record
