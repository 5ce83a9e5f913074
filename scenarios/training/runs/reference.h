// The whole training in one process, in double precision, without any of the trainer's code. It
// gives the parameters that all ranks must reach.
#pragma once

#include <vector>

#include "scenarios/training/data/dataset.h"
#include "scenarios/training/ddp/trainer.h"

namespace gridlock {

// One step: each rank's batch (size 0: takes part without data), and the divisor of the gradients.
// If a rank has several micro-batches, each is an entry, and the divisor must be set.
struct ReferenceStep {
  std::vector<Batch> batches;
  int divisor = 0;                   // 0: the number of batches
  std::vector<double> weights = {};  // of each batch's loss; none: 1
  int detached = -1;                 // the batch whose gradient stops below the normalization layer
};

// Parameters after all steps, in registration order, from rank 0's initial ones.
std::vector<double> reference_parameters(const TrainerOptions& options,
                                         const std::vector<ReferenceStep>& steps);

}  // namespace gridlock
