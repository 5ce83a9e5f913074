// A process's timers, alarms and clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gridlock::run {

// Whether a timer (timer_create) or an alarm may still ring, by the text of /proc/PID/timers.
// `now`: of the monotonic clock, in nanoseconds. An alarm shows only if the recorder is in the
// process.
bool may_ring(std::string_view timers, std::uint64_t now);

// The same for the process `pid`, now. {}: the kernel does not show timers.
std::optional<bool> may_ring(std::int64_t pid);

// This agent's monotonic time in nanoseconds, by which the process `pid` goes too; 0 if its clock
// is another. Its alarms may then always ring.
std::uint64_t monotonic_now(std::int64_t pid);

}  // namespace gridlock::run
