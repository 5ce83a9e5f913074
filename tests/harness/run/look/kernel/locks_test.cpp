// Who waits for a thread that naps.
#include "harness/run/look/kernel/locks.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

constexpr std::int64_t kNaps = 7;

record::Sleep waits_for_python(std::int64_t holder) {
  record::Sleep sleep;
  sleep.asleep = true;
  sleep.on = record::kPythonsLock;
  sleep.held_by = holder;
  return sleep;
}

// Thread 1 of the rank sleeps so, and so does thread 2 in no box.
record::Snapshot rank_with(const record::Sleep& recorded, const record::Sleep& other) {
  record::Snapshot snapshot;
  snapshot.threads.resize(1);
  snapshot.threads[0].tid = 1;
  snapshot.threads[0].sleep = recorded;
  snapshot.others.push_back({.tid = 2, .process = 1, .sleep = other});
  return snapshot;
}

bool is_for_napper(record::Snapshot snapshot) {
  tell_nappers(snapshot, {kNaps});
  return snapshot.threads[0].sleep.for_napper;
}

TEST(Locks, WhoJoinsANapperOrWantsItsLockWaitsForIt) {
  record::Sleep joins;
  joins.joins = kNaps;
  record::Sleep wants_lock;
  wants_lock.held_by = kNaps;
  record::Sleep joins_another;
  joins_another.joins = 3;
  EXPECT_TRUE(is_for_napper(rank_with(joins, {})));
  EXPECT_TRUE(is_for_napper(rank_with(wants_lock, {})));
  EXPECT_FALSE(is_for_napper(rank_with(joins_another, {})));
  EXPECT_FALSE(is_for_napper(rank_with({}, joins)));
}

TEST(Locks, ALaunchMayWaitForOneToo) {
  record::Snapshot snapshot = rank_with({}, {});
  snapshot.threads[0].in_launch.held_by = kNaps;
  tell_nappers(snapshot, {kNaps});
  EXPECT_TRUE(snapshot.threads[0].in_launch.for_napper);
}

// The state of a thread of Python's names who made it.
TEST(Locks, ANapperMayHoldPythonsLockUnlessAnotherDoes) {
  EXPECT_TRUE(is_for_napper(rank_with(waits_for_python(kNaps), {})));
  EXPECT_TRUE(is_for_napper(rank_with(waits_for_python(0), {}))) << "it is not known who does";
  EXPECT_TRUE(is_for_napper(rank_with(waits_for_python(1), {}))) << "it waits itself";
  EXPECT_TRUE(is_for_napper(rank_with(waits_for_python(2), waits_for_python(3))));
  EXPECT_FALSE(is_for_napper(rank_with(waits_for_python(3), {})));
}

}  // namespace
}  // namespace gridlock::run
