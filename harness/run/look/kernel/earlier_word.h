// A look at the boxes alone, after one that asked the kernel: what the kernel said still stands for
// what has not moved.
#pragma once

#include "harness/record/snapshot.h"

namespace gridlock::run {

// Copies to `now`, which shows only the box, what the kernel said of the same rank at the look
// `before`: of its process, and of each thread that has entered and left no wait since.
void take_over_kernels_word(record::Snapshot& now, record::Snapshot&& before);

}  // namespace gridlock::run
