// Threads of a process that are in no box.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/record/sleep.h"

namespace gridlock::run {

// All threads of the process. If they cannot be listed, a thread that nobody can look at stands for
// them, and so counts as able to act.
std::vector<std::int64_t> threads_of(std::int64_t pid);

// Whether none of these, which can act, runs or may wake otherwise.
bool all_sleep_by_the_clock(std::span<const record::Sleeper> acting);

// Of those that can act, the one that sleeps longest, one that does not sleep by the clock, and one
// whose limit does not show. If all sleep by the clock, also those that other processes may wake
// before their time, or that nobody may, one of each kind. A proof needs to know no more.
//   REQUIRES  there is one
std::vector<record::Sleeper> those_that_count(std::vector<record::Sleeper> acting);

}  // namespace gridlock::run
