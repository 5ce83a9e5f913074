// Threads that ask again and again whether something has ended. They can act, so they take no part
// in a proof; but in a job that stands still they wait like all others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::detect {

// The snapshots, in which threads that have just asked (kAsksAgainNs) wait for what they asked
// about.
// `now_ns`: CLOCK_MONOTONIC; 0: the time of the last question.
std::vector<record::Snapshot> with_askers(std::span<const record::Snapshot> snapshots,
                                          std::int64_t now_ns);

// Whether the thread waits only in that sense.
inline bool asks(const record::Thread& thread) { return thread.asked.at_ns != 0; }

}  // namespace gridlock::detect
