// Splits the worker's one box into one box per rank, as if every rank were a process.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::fuzz {

// What the worker has reported about a rank so far.
struct RankThread {
  std::int64_t tid = 0;   // 0: not begun
  bool returned = false;  // or crashed: the rank is gone
  bool crashed = false;
};

// A snapshot for each rank: its thread, and the work on its device (device n is rank n's).
// - A rank that has not made a recorded call yet has one thread that may do anything.
// - A rank whose thread has returned is a process that has exited.
std::vector<record::Snapshot> split(const record::Snapshot& box,
                                    const std::vector<RankThread>& ranks);

}  // namespace gridlock::fuzz
