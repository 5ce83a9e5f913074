// A box as a whole: who owns it, what it lacks, whether it is a box at all. A reader never sees a
// half-written entry.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "tests/harness/record/box_fixture.h"

namespace gridlock::record {
namespace {

using WholeBox = BoxTest;

TEST(EmptyBox, IsNotDamage) {
  const auto box = std::make_unique<Box>();
  const Snapshot snapshot = read(box.get(), sizeof(Box));
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_EQ(snapshot.pid, 0);
  EXPECT_EQ(read(box.get(), 0).damage, "");
}

TEST_F(WholeBox, IsClaimedOnce) {
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

TEST_F(WholeBox, SaysHowOldPolledProgressMayBe) {
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

TEST_F(WholeBox, CudaIsUnseenWhereStreamsHaveWorkAndNobodyCalledIt) {
  EXPECT_FALSE(look().cuda_unseen);
  add(1);
  EXPECT_TRUE(look().cuda_unseen);
  store_release(box_->header.cuda, 1);
  EXPECT_FALSE(look().cuda_unseen);
}

TEST_F(WholeBox, SaysWhatFoundNoRoom) {
  box_->header.lost_streams = 2;
  EXPECT_EQ(look().damage, "the box was too small, it lacks 2 streams");
}

TEST_F(WholeBox, ForeignBoxesAreRefused) {
  box_->header.version = kVersion + 1;
  EXPECT_NE(look().damage.find("format " + std::to_string(kVersion + 1)), std::string::npos);
  box_->header.version = kVersion - 1;
  EXPECT_NE(look().damage.find("format " + std::to_string(kVersion - 1)), std::string::npos);
  box_->header.version = kVersion;
  EXPECT_NE(read(box_.get(), sizeof(Box) / 2).damage.find("cut off"), std::string::npos);
  EXPECT_NE(read(box_.get(), 20).damage.find("cut off"), std::string::npos);
  box_->header.magic = 1;
  EXPECT_NE(look().damage.find("not a black box"), std::string::npos);
}

TEST_F(WholeBox, ASavedBoxIsComplete) {
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

// The writer never stops. Every operation that the reader returns must be complete.
TEST_F(WholeBox, NothingReadIsTorn) {
  std::atomic<bool> stop = false;
  std::thread writing([&] {
    for (std::uint64_t position = 1; !stop; ++position) {
      OperationEntry entry{.call = Call::all_reduce,
                           .peer = static_cast<std::int32_t>(position % 1000),
                           .communicator = 0,
                           .stream = 0,
                           .thread = 0,
                           .event_stream = kNone,
                           .count = position,
                           .slot = position,
                           .position = position,
                           .launched = position};
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
