// What another process sees of a rank while it hangs.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

using record::Call;
using record::Snapshot;
using record::Waits;

bool waiting_in(const Snapshot& snapshot, Call call) {
  for (const record::Thread& thread : snapshot.threads) {
    if (thread.call == call) return true;
  }
  return false;
}

Snapshot stuck(Recorded& child, Call call) {
  return child.look_until([call](const Snapshot& seen) { return waiting_in(seen, call); });
}

TEST(Waits, ForAMemberThatNeverComes) {
  Recorded child(part("waits_for_a_member"));
  const Snapshot snapshot = stuck(child, Call::comm_init);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  const record::Thread& thread = snapshot.threads[0];
  EXPECT_EQ(thread.call, Call::comm_init);
  EXPECT_EQ(thread.waits, Waits::communicator_members);
  EXPECT_EQ(thread.tid, child.pid());
  EXPECT_EQ(thread.label.view(), "setup");
  EXPECT_NE(thread.callers[0], 0U);
  ASSERT_EQ(thread.communicator, 0U);
  const record::Communicator& communicator = snapshot.communicators.at(0);
  EXPECT_EQ(communicator.size, 2);
  EXPECT_EQ(communicator.rank, 1);
  EXPECT_EQ(communicator.state, record::CommunicatorState::initialising);
  EXPECT_EQ(snapshot.initialised_ns, 0);
}

TEST(Waits, ForAStream) {
  Recorded child(part("waits_for_a_stream"));
  stuck(child, Call::stream_synchronize);
  const Snapshot snapshot = child.look_until(
      [](const Snapshot& seen) { return !seen.streams.empty() && seen.streams[0].started == 1; });
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::stream);
  EXPECT_EQ(snapshot.threads[0].position, 1U);
  EXPECT_EQ(snapshot.threads[0].label.view(), "last words");
  ASSERT_EQ(snapshot.threads[0].stream, 0U);
  EXPECT_EQ(snapshot.streams[0].started, 1U);
  EXPECT_EQ(snapshot.streams[0].completed, 0U);
  ASSERT_EQ(snapshot.operations.size(), 1U);
  EXPECT_EQ(snapshot.operations[0].call, Call::host_function);
}

// Then a thread that sleeps next does not look as if it were in a call of CUDA's.
TEST(Waits, LeaveNothingOfTheVendorsOnTheStack) { after("leaves_no_addresses"); }

// A signal's handler has jumped out of a wait for a stream.
TEST(Waits, EndByAJump) {
  Recorded child(part("jumps_out_of_a_wait"));
  const Snapshot snapshot = stuck(child, Call::device_synchronize);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::device);
}

TEST(Waits, GoOnIfAHandlerJumpsWithinItself) {
  Recorded child(part("jumps_inside_a_handler"));
  stuck(child, Call::stream_synchronize);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));  // the handler has run by now
  const Snapshot snapshot = child.look();
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].call, Call::stream_synchronize);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::stream);
}

TEST(Waits, ForTheDevice) {
  Recorded child(part("waits_for_the_device"));
  const Snapshot snapshot = stuck(child, Call::device_synchronize);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::device);
}

// An epoch for the thread, two for each wait that is over, one for the last.
TEST(Waits, AreThoseThatCudaDocuments) {
  Recorded child(part("waits_that_are_none"));
  const Snapshot snapshot = stuck(child, Call::device_synchronize);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].epoch, 1U + 2U + 2U + 1U);
}

TEST(Waits, OfAFreeForTheDeviceOfTheMemory) {
  Recorded child(part("free_on_another_device"), {"GRIDLOCK_SIM_DEVICES=2"});
  const Snapshot snapshot = stuck(child, Call::device_free);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].device, 1U);
}

// Memory says too little about what a thread will do, so only its waits are shown.
TEST(Waits, OfAThreadThatOnlyMakesMemoryAreAllThatIsShownOfIt) {
  const auto shown = [](const Snapshot& snapshot) {
    return std::ranges::count_if(snapshot.threads,
                                 [](const record::Thread& thread) { return thread.exists; });
  };
  Recorded makes(part("memory_of_another_thread"));
  EXPECT_EQ(shown(stuck(makes, Call::device_synchronize)), 1);
  Recorded frees(part("free_of_another_thread"));
  EXPECT_EQ(shown(stuck(frees, Call::device_free)), 2);
}

TEST(Waits, OfAStreamForAnEvent) {
  Recorded child(part("event_wait"));
  const Snapshot snapshot = stuck(child, Call::event_synchronize);
  ASSERT_EQ(snapshot.operations.size(), 2U) << "waits that cannot hold are not recorded";
  EXPECT_EQ(snapshot.operations[0].call, Call::host_function);
  const record::Operation& wait = snapshot.operations[1];
  EXPECT_EQ(wait.call, Call::event_wait);
  EXPECT_NE(wait.stream, snapshot.operations[0].stream);
  EXPECT_EQ(wait.event_stream, snapshot.operations[0].stream);
  EXPECT_EQ(wait.event_position, 1U);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].stream, snapshot.operations[0].stream);
  EXPECT_EQ(snapshot.threads[0].position, 1U);
}

TEST(Waits, OfTheLegacyStreamForABlockingOne) {
  Recorded child(part("legacy_order"));
  const Snapshot snapshot = stuck(child, Call::memcpy_sync);
  ASSERT_EQ(snapshot.operations.size(), 2U) << "one legacy operation per new order";
  EXPECT_EQ(snapshot.operations[1].call, Call::legacy_work);
  const record::Stream& legacy = snapshot.streams.at(snapshot.operations[1].stream);
  EXPECT_TRUE(legacy.legacy);
  EXPECT_EQ(legacy.started, 0U) << "it waits for the blocking stream";
  EXPECT_FALSE(snapshot.streams.at(snapshot.operations[0].stream).non_blocking);
  ASSERT_EQ(snapshot.threads.size(), 1U);
  EXPECT_EQ(snapshot.threads[0].waits, Waits::legacy_stream);
}

}  // namespace
}  // namespace gridlock
