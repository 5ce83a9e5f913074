// States in which a thread sleeps outside recorded calls.
#pragma once

#include <utility>
#include <vector>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {

constexpr record::ProcessKey key(int rank) { return record::process_key(0, 100 + rank); }

inline record::Sleep sleeps(std::vector<record::ProcessKey> wakers) {
  return {.asleep = true,
          .wakers = std::move(wakers),
          .switches = 3,
          .on = "a futex",
          .may_idle = true};
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

}  // namespace gridlock::detect::states
