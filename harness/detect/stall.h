// What is said of a hang that is not proven.
#pragma once

#include <span>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/parameters.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::detect {

// For a job that has been silent for too long although nothing is proven: who waits for whom if
// unrecorded code does nothing more, which ranks are in such code, and who can still act. `ledger`
// may be null.
Verdict explain_stall(std::span<const record::Snapshot> snapshots,
                      const Parameters& parameters = {}, const Ledger* ledger = nullptr);
// The same for a job of which a part goes on. `snapshots`: without the threads that do, and with
// the ranks marked that do; `seen`: all, of which somebody can still act.
Verdict explain_stall(std::span<const record::Snapshot> snapshots,
                      std::span<const record::Snapshot> seen, const Parameters& parameters,
                      const Ledger* ledger);

}  // namespace gridlock::detect
