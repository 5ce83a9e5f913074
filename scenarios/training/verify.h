// Whether training came to the right numbers: equal on all ranks, and equal to the reference.
#pragma once

#include <functional>

#include "scenarios/training/reference.h"

namespace gridlock {

// Which batches belong to a step, all ranks' of them; see reference.h.
using Plan = std::function<ReferenceStep(int step)>;

// Compares and reports; rank 0 computes the reference. Never throws for wrong numbers.
//   tolerance           largest absolute difference of a parameter
//   Collective, Blocks  over the rendezvous
void verify_training(Trainer& trainer, int steps, const Plan& plan, double tolerance);

// The largest of all ranks' values less the smallest.
//   Collective, Blocks  over the rendezvous
double spread_over_ranks(Rank& rank, double mine);

// Reports a figure's smallest, largest and own value: name_min, name_max, name (`unit` ends each).
//   Collective, Blocks  over the rendezvous
void report_over_ranks(Rank& rank, const std::string& name, const std::string& unit, double mine);

}  // namespace gridlock
