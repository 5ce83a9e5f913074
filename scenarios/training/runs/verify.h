// Checks that training reached the right numbers: equal on all ranks, and equal to the reference.
#pragma once

#include <functional>

#include "scenarios/training/runs/reference.h"

namespace gridlock {

// The batches of all ranks in a step; see reference.h.
using Plan = std::function<ReferenceStep(int step)>;

// Compares and reports; rank 0 computes the reference. Never throws for wrong numbers.
//   tolerance           largest absolute difference of a parameter
//   Collective, Blocks  over the rendezvous
void verify_training(Trainer& trainer, int steps, const Plan& plan, double tolerance);

// The largest of all ranks' values minus the smallest.
//   Collective, Blocks  over the rendezvous
double spread_over_ranks(Rank& rank, double mine);

// Reports a figure's own, smallest and largest value as name, name_min and name_max, each with
// `unit` at the end.
//   Collective, Blocks  over the rendezvous
void report_over_ranks(Rank& rank, const std::string& name, const std::string& unit, double mine);

}  // namespace gridlock
