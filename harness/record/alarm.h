// How the recorder shows an alarm (alarm, setitimer), which /proc does not: by a timer of SIGALRM
// that notifies nobody (SIGEV_NONE). Its value is when the alarm rings for the last time, in
// nanoseconds of the monotonic clock.
#pragma once

#include <cstdint>
#include <limits>

namespace gridlock::record {

constexpr std::uintptr_t kRingsAgain = std::numeric_limits<std::uintptr_t>::max();

}  // namespace gridlock::record
