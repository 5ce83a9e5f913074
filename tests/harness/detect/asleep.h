// States in which a thread sleeps outside recorded calls.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <utility>
#include <vector>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {

constexpr record::ProcessKey key(int rank) { return record::process_key(0, 100 + rank); }

inline record::Sleep sleeps(std::vector<record::ProcessKey> wakers) {
  return {.asleep = true,
          .wakers = std::move(wakers),
          .far_ends = {},
          .switches = 3,
          .on = "a futex",
          .may_idle = true};
}

// Sleeps until a time that is near, unless one of these wakes it.
inline record::Sleep nap(std::vector<record::ProcessKey> wakers) {
  record::Sleep sleep;
  sleep.wakers = std::move(wakers);
  sleep.awake = record::Awake::may_end;
  sleep.limit_ns = 100'000'000;
  sleep.by_clock = true;
  return sleep;
}

inline record::Sleep of_a_helper(record::Sleep sleep) {
  sleep.by_anybody = true;
  return sleep;
}

// Rank 1 never calls the second all-reduce, in which rank 0 waits. Its thread is asleep elsewhere
// until `wakers` do something. The kernel's view of both ranks is known.
inline World absent(std::vector<record::ProcessKey> wakers) {
  World world(2);
  for (int rank = 0; rank < 2; ++rank) {
    world[rank].box.key = key(rank);
    world[rank].box.pid = 100 + rank;
  }
  world[0].all_reduce("gradients").device_synchronize();
  world[1].box.threads[0].sleep = sleeps(std::move(wakers));
  return world;
}

inline void add_other(World& world, int rank, record::ProcessKey process, record::Sleep sleep) {
  world[rank].box.others.push_back({.tid = 1, .process = process, .sleep = std::move(sleep)});
}

constexpr record::ProcessKey kHelper = record::process_key(0, 200);
constexpr record::ProcessKey kOtherHelper = record::process_key(0, 201);

// A process above the ranks, with a thread that sleeps so.
inline void add_launcher(World& world, record::ProcessKey process, record::Sleep sleep) {
  add_other(world, 0, process, std::move(sleep));
  world[0].box.others.back().of_rank = false;
  world[0].box.others.back().launches = true;
}

// A state, and whether its verdict is a deadlock.
struct SleepCase {
  const char* name;
  World (*make)();
  bool dead;
  bool assumes = false;
  bool dead_strictly = true;
};
inline std::ostream& operator<<(std::ostream& out, const SleepCase& one) { return out << one.name; }

inline void judge(const SleepCase& one) {
  World world = one.make();
  const Verdict verdict = world.verdict();
  EXPECT_EQ(verdict.outcome == Outcome::deadlock, one.dead);
  EXPECT_EQ(!verdict.assumptions.empty(), one.assumes);
  world.parameters.strict = true;
  EXPECT_EQ(world.verdict().outcome == Outcome::deadlock, one.dead && one.dead_strictly);
}

}  // namespace gridlock::detect::states
