// What an operator needs to know of a rank that is to blame.
#pragma once

#include "harness/run/job.h"

namespace gridlock::run {

// Adds the host and the device to what the verdict says of a rank that ended badly, or is stuck in
// host code or on its device, and the reason that the rank gave for its end. If several ranks did
// the same, nothing is added.
void add_whereabouts(const Observation& observation, detect::Verdict& verdict);

}  // namespace gridlock::run
