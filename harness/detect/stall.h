// What is said of a hang that is not proven.
#pragma once

#include <span>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/parameters.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

// For a job that has been silent for too long although nothing is proven: who waits for whom if
// unrecorded code does nothing more, which ranks are in such
// code, and who can still act. `ledger` may be null.
Verdict explain_stall(std::span<const record::Snapshot> snapshots,
                      const Parameters& parameters = {}, const Ledger* ledger = nullptr);

}  // namespace gridlock::detect
