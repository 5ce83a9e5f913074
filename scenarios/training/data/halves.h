// Splits standard batches into two halves: gradient accumulation within a step.
#pragma once

#include <functional>

#include "scenarios/training/runs/standard_run.h"

namespace gridlock {

// One of the two samples of a rank's standard batch.
Batch half_batch(const Rank& rank, int step, int part);

// Calls `half` for both parts of a step, each with half the weight, and the first one under
// no_sync. Together they make one all-reduce per bucket.
void in_halves(Trainer& trainer, const std::function<void(int part)>& half);

// Compares with the reference after `steps`. `halved` says whether a rank split its batch in a
// step. Closes the trainer.
//   Collective, Blocks
void finish_with_halves(Trainer& trainer, int steps,
                        const std::function<bool(int rank, int step)>& halved);

}  // namespace gridlock
