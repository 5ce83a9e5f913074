// What the agent remembers about a job that ends its own hang.
#include "harness/run/look/standstill.h"

#include <gtest/gtest.h>

#include <string>

namespace gridlock::run {
namespace {

using record::CommunicatorState;
using record::Snapshot;

std::vector<Snapshot> job(std::uint64_t recorded, bool aborted = false) {
  std::vector<Snapshot> ranks(2);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].rank = static_cast<int>(rank);
    ranks[rank].recorded = recorded;
    ranks[rank].communicators.emplace_back().state = CommunicatorState::ready;
  }
  if (aborted) ranks[1].communicators[0].state = CommunicatorState::aborted;
  return ranks;
}

constexpr std::int64_t kMs = 1'000'000;

// The job moves at 1 ms and stands still until 200 ms.
Standstill stood_still() {
  Standstill standstill(std::chrono::milliseconds(100));
  standstill.look(job(1), 1 * kMs);
  for (const std::int64_t ms : {50, 150, 200}) standstill.look(job(1), ms * kMs);
  return standstill;
}

TEST(Standstill, IsRememberedBehindAnAbort) {
  Standstill standstill = stood_still();
  standstill.look(job(1, true), 210 * kMs);
  standstill.look(job(2, true), 220 * kMs);
  const auto before = standstill.before_abort(job(2, true));
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[1].recorded, 1U);
  EXPECT_TRUE(aborting(before).empty());
}

TEST(Standstill, IsForgottenWhenTheJobGoesOn) {
  Standstill standstill = stood_still();
  standstill.look(job(2), 210 * kMs);
  standstill.look(job(2), 211 * kMs);
  standstill.look(job(2, true), 220 * kMs);
  EXPECT_TRUE(standstill.before_abort(job(2, true)).empty());
}

TEST(Standstill, IsForgottenWhileTheJobKeepsMoving) {
  Standstill standstill = stood_still();
  for (const int step : {2, 3, 4}) {
    standstill.look(job(static_cast<std::uint64_t>(step)), (210 + step) * kMs);
  }
  EXPECT_TRUE(standstill.before_abort(job(4, true)).empty());
}

// A look reads rank 1 before its abort, and rank 0 after the abort has moved it.
TEST(Standstill, IsRememberedIfOneLookSeesTheMoveBeforeTheAbort) {
  Standstill standstill = stood_still();
  standstill.look(job(2), 210 * kMs);
  standstill.look(job(2, true), 211 * kMs);
  const auto before = standstill.before_abort(job(2, true));
  ASSERT_EQ(before.size(), 2U);
  EXPECT_EQ(before[1].recorded, 1U);
}

// No look came between the standstill and the abort, in which a step was done that was not there.
TEST(Standstill, IsForgottenIfTheJobWentOnUnseen) {
  for (const std::uint64_t done : {2U, 3U}) {
    const auto at = [&](std::uint64_t completed, bool aborted) {
      std::vector<Snapshot> ranks = job(completed, aborted);
      for (Snapshot& rank : ranks) {
        record::Stream& stream = rank.streams.emplace_back();
        stream.enqueued = 2;
        stream.completed = completed;
      }
      return ranks;
    };
    Standstill standstill(std::chrono::milliseconds(100));
    for (const std::int64_t ms : {1, 150, 200}) standstill.look(at(1, false), ms * kMs);
    standstill.look(at(done, true), 300 * kMs);
    EXPECT_EQ(standstill.before_abort(at(done, true)).empty(), done == 3) << done;
  }
}

// The watchdog's first call makes it known as a thread, one look before it is seen in the abort.
TEST(Standstill, IsRememberedBehindAThreadThatComes) {
  Standstill standstill = stood_still();
  std::vector<Snapshot> ranks = job(1);
  ranks[1].threads.emplace_back().epoch = 1;
  standstill.look(ranks, 210 * kMs);
  standstill.look(job(1, true), 211 * kMs);
  EXPECT_EQ(standstill.before_abort(job(1, true)).size(), 2U);
}

TEST(Standstill, DoesNotMatterWithoutAnAbort) {
  EXPECT_TRUE(stood_still().before_abort(job(1)).empty());
}

TEST(Standstill, WhoIsInTheCallCountsAsAborting) {
  std::vector<Snapshot> ranks = job(1);
  record::Thread& thread = ranks[1].threads.emplace_back();
  thread.call = record::Call::comm_abort;
  thread.waits = record::Waits::communicator_members;
  EXPECT_EQ(aborting(ranks), std::vector<int>{1});
  thread.waits = record::Waits::nothing;  // a look found it computing in the call
  EXPECT_EQ(aborting(ranks), std::vector<int>{1});
}

// An abort on a GPU computes for longer than the pause between two looks.
TEST(Standstill, IsRememberedDuringALongAbort) {
  Standstill standstill = stood_still();
  std::vector<Snapshot> ranks = job(2);
  ranks[1].threads.emplace_back().call = record::Call::comm_abort;
  for (const std::int64_t ms : {210, 211, 212}) standstill.look(ranks, ms * kMs);
  EXPECT_EQ(standstill.before_abort(job(2, true)).size(), 2U);
}

}  // namespace
}  // namespace gridlock::run
