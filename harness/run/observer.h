// The observer check: a job must end the same way with and without the recorder.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/catalogue/installation.h"
#include "harness/processes/interrupts.h"
#include "harness/run/fellows.h"
#include "harness/run/job.h"

namespace gridlock::run {

// What can be seen of a job without a record: whether its processes end by themselves, and how.
enum class End : std::uint8_t { completes, fails, crashes, corrupts, silent };
std::string_view to_string(End end);

// What a verdict looks like without a record: a hang, proven or not, is silence.
End end_of(detect::Outcome outcome);

// Starts `job` without the recorder, and kills it if it has not ended by itself within `limit`.
// `fellows` as for watch.
//   Errors   MachineError as for watch, if a process cannot be killed, or if an agent is lost
//   Blocks   for about `limit` at most; less if `interrupts` asks to end
End run_unrecorded(const Job& job, const catalogue::Installation& installation,
                   processes::Interrupts& interrupts, Duration limit, Fellows* fellows = nullptr);

}  // namespace gridlock::run
