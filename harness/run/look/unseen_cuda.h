// Programs that have the CUDA runtime inside themselves, where no recorder sees what they call.
#pragma once

#include <span>
#include <string>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// Which ranks do, what that hides, and what to do about it; "" when none does. The program is named
// where the snapshots have their modules.
std::string unseen_cuda(std::span<const record::Snapshot> snapshots);

}  // namespace gridlock::run
