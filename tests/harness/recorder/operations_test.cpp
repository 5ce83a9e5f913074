// What the recorder writes about programs that end well.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

using record::Call;
using record::CommunicatorState;
using record::Snapshot;

TEST(Operations, OfCollectives) {
  const Snapshot snapshot = after("collectives");
  EXPECT_EQ(snapshot.rank, 4);
  EXPECT_EQ(snapshot.world_size, 8);
  EXPECT_EQ(snapshot.backend, "sim");
  EXPECT_GT(snapshot.nccl_version, 20000);
  EXPECT_GT(snapshot.initialised_ns, 0);
  ASSERT_EQ(snapshot.operations.size(), 4U);
  for (std::uint64_t i = 0; i < 4; ++i) {
    const record::Operation& operation = snapshot.operations[i];
    EXPECT_EQ(operation.call, i < 3 ? Call::all_reduce : Call::broadcast);
    EXPECT_EQ(operation.slot, i);
    EXPECT_EQ(operation.position, i + 1);
    EXPECT_EQ(operation.count, i < 3 ? 16U : 8U);
    EXPECT_EQ(operation.peer, i < 3 ? -1 : 0);
    ASSERT_EQ(operation.communicator, 0U);
    EXPECT_GE(operation.time_ns, snapshot.initialised_ns);
  }
  EXPECT_EQ(snapshot.operations[0].label.view(), "other");
  EXPECT_EQ(snapshot.operations[1].label.view(), "second");
  EXPECT_EQ(snapshot.operations[3].label.view(), "step");
  const record::Stream& stream = snapshot.streams.at(snapshot.operations[0].stream);
  EXPECT_TRUE(stream.non_blocking);
  EXPECT_FALSE(stream.polled);
  EXPECT_EQ(stream.enqueued, 4U);
  EXPECT_EQ(stream.started, 4U);
  EXPECT_EQ(stream.completed, 4U);
}

TEST(Operations, OfFunctionsFoundByAHandle) {
  const Snapshot snapshot = after("by_handle");
  ASSERT_EQ(snapshot.operations.size(), 1U);
  EXPECT_EQ(snapshot.operations[0].call, Call::all_reduce);
  EXPECT_EQ(snapshot.streams.at(snapshot.operations[0].stream).completed, 1U);
}

// nccl-tests found it: a byte of the handle was kept, and was taken for ncclMin.
TEST(Operations, OfOwnReductions) {
  const Snapshot snapshot = after("own_reductions");
  ASSERT_EQ(snapshot.operations.size(), 1000U);
  for (const record::Operation& operation : snapshot.operations) {
    EXPECT_EQ(operation.reduction, record::kOwnReduction);
  }
}

TEST(Operations, OfACommunicator) {
  const Snapshot snapshot = after("collectives");
  ASSERT_EQ(snapshot.communicators.size(), 1U);
  const record::Communicator& communicator = snapshot.communicators[0];
  EXPECT_NE(communicator.id, 0U);
  EXPECT_EQ(communicator.name, "dp");
  EXPECT_EQ(communicator.size, 1);
  EXPECT_EQ(communicator.rank, 0);
  EXPECT_EQ(communicator.next_slot, 4U);
  EXPECT_EQ(communicator.state, CommunicatorState::closed);
  EXPECT_EQ(communicator.last_call, Call::comm_destroy);
  EXPECT_EQ(communicator.calls, 2U);
}

const record::Module* module_of(const Snapshot& snapshot, std::uint64_t address) {
  for (const record::Module& module : snapshot.modules) {
    if (address >= module.begin && address < module.end) return &module;
  }
  return nullptr;
}

TEST(Operations, NameTheirCallers) {
  const Snapshot snapshot = after("collectives");
  ASSERT_EQ(snapshot.operations.size(), 4U);
  for (const record::Operation& operation : snapshot.operations) {
    // The part, its caller, main, and the caller of main. How much is inlined may vary.
    const record::Module* first = module_of(snapshot, operation.callers[0]);
    ASSERT_NE(first, nullptr);
    EXPECT_NE(first->path.find("test_harness_recorder"), std::string::npos) << first->path;
    EXPECT_EQ(module_of(snapshot, operation.callers[1]), first);
    for (const std::uint64_t caller : operation.callers) {
      EXPECT_NE(module_of(snapshot, caller), nullptr);
    }
  }
  EXPECT_NE(snapshot.operations[0].callers[0], snapshot.operations[3].callers[0]);
}

TEST(Operations, OfAGroupShareAPosition) {
  const Snapshot snapshot = after("messages");
  ASSERT_EQ(snapshot.operations.size(), 6U);
  for (std::uint64_t i = 0; i < 6; ++i) {
    const record::Operation& operation = snapshot.operations[i];
    EXPECT_EQ(operation.position, i / 3 + 1);
    EXPECT_EQ(operation.slot, i / 3);
    EXPECT_EQ(operation.call, i % 3 == 0 ? Call::send : i % 3 == 1 ? Call::recv : Call::all_reduce);
  }
  EXPECT_EQ(snapshot.operations[0].stream, snapshot.operations[1].stream);
  EXPECT_NE(snapshot.operations[0].stream, snapshot.operations[2].stream);
  EXPECT_EQ(snapshot.communicators.at(0).next_slot, 2U);
  for (const record::Stream& stream : snapshot.streams) {
    EXPECT_EQ(stream.completed, 2U);
    EXPECT_EQ(stream.enqueued, 2U);
  }
}

TEST(Operations, SplitGivesEachChildAnId) {
  const Snapshot snapshot = after("split");
  ASSERT_EQ(snapshot.communicators.size(), 3U);
  EXPECT_EQ(snapshot.communicators[0].calls, 4U);
  EXPECT_EQ(snapshot.communicators[0].last_call, Call::comm_split);
  EXPECT_NE(snapshot.communicators[1].id, snapshot.communicators[2].id);
  EXPECT_NE(snapshot.communicators[1].id, snapshot.communicators[0].id);
  EXPECT_EQ(snapshot.communicators[1].size, 1);
  EXPECT_EQ(snapshot.communicators[1].rank, 0);
  EXPECT_EQ(snapshot.communicators[1].state, CommunicatorState::closed);
  EXPECT_EQ(snapshot.communicators[2].state, CommunicatorState::ready);
}

TEST(Operations, ProgressIsPolledWhereTheDeviceCannotWriteIt) {
  Recorded child(part("waits_for_a_stream"), {"GRIDLOCK_RECORDER_POLL=1"});
  const Snapshot stuck = child.look_until([](const Snapshot& snapshot) {
    return !snapshot.streams.empty() && snapshot.streams[0].polled;
  });
  ASSERT_EQ(stuck.streams.size(), 1U);
  EXPECT_EQ(stuck.streams[0].completed, 0U);

  Recorded moving(part("forks"), {"GRIDLOCK_RECORDER_POLL=1"});
  const Snapshot moved = moving.look_until([](const Snapshot& snapshot) {
    return !snapshot.streams.empty() && snapshot.streams[0].completed == 1;
  });
  ASSERT_EQ(moved.streams.size(), 1U);
  EXPECT_TRUE(moved.streams[0].polled);
}

TEST(Operations, OfSeveralThreadsOnOneStream) {
  const Snapshot snapshot = after("shared_stream");
  ASSERT_EQ(snapshot.operations.size(), 800U);
  std::set<std::uint64_t> positions;
  for (const record::Operation& operation : snapshot.operations) {
    positions.insert(operation.position);
  }
  EXPECT_EQ(positions.size(), 800U);
  EXPECT_EQ(snapshot.streams.at(0).enqueued, 800U);
  EXPECT_EQ(snapshot.streams.at(0).completed, 800U);
}

TEST(Operations, OnACommunicatorThatDoesNotBlock) {
  const Snapshot snapshot = after("non_blocking");
  ASSERT_EQ(snapshot.communicators.size(), 1U);
  EXPECT_EQ(snapshot.communicators[0].state, CommunicatorState::ready);
  ASSERT_EQ(snapshot.operations.size(), 1U);
  const record::Stream& stream = snapshot.streams.at(snapshot.operations[0].stream);
  EXPECT_EQ(stream.enqueued, 1U);
  EXPECT_EQ(stream.completed, 1U);
}

const record::MessageCount* count_of(const Snapshot& snapshot, bool sends) {
  for (const record::MessageCount& one : snapshot.communicators.at(0).messages) {
    if (one.sends == sends) return &one;
  }
  return nullptr;
}

TEST(Operations, MessagesAreCounted) {
  const Snapshot snapshot = after("messages");
  ASSERT_TRUE(snapshot.communicators.at(0).counts_messages);
  ASSERT_NE(count_of(snapshot, true), nullptr);
  EXPECT_EQ(count_of(snapshot, true)->count, 2U);
  ASSERT_NE(count_of(snapshot, false), nullptr);
  EXPECT_EQ(count_of(snapshot, false)->count, 2U);
}

TEST(Operations, TheSimulationSaysHowMuchItTakesOfASender) {
  EXPECT_EQ(after("collectives").buffer_bytes, 4U << 20U);
  EXPECT_EQ(after("collectives", {"GRIDLOCK_SIM_BUFFER=64K"}).buffer_bytes, 64U << 10U);
}

TEST(Operations, ThreadsGiveTheirEntriesBack) {
  const Snapshot snapshot = after("threads");
  ASSERT_EQ(snapshot.threads.size(), 1U) << "one entry serves one thread after the other";
  EXPECT_TRUE(snapshot.threads[0].exists);
  EXPECT_GE(snapshot.threads[0].epoch, 9U);
}

}  // namespace
}  // namespace gridlock
