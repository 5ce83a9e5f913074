// Programs with the CUDA runtime linked in, whose CUDA calls the recorder cannot see.
#pragma once

#include <span>
#include <string>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// Which ranks run such a program, what that hides, and what to do about it; "" if none does. Names
// the program if the snapshots have their modules.
std::string unseen_cuda(std::span<const record::Snapshot> snapshots);

}  // namespace gridlock::run
