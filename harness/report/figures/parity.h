// Compares the same variants on the simulation and on GPUs. Where they differ undeclared, the
// simulation is wrong, or the declaration is.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

enum class Agreement {
  same,
  declared,    // another outcome, which the variant accepts on a GPU
  undeclared,  // another outcome, cause or culprit than the variant accepts
  only_sim,    // not run on a GPU, or skipped there
  only_cuda,
};

struct ParityRow {
  std::string name;  // scenario/variant
  int ranks = 0;
  std::string sim;  // "deadlock (rank_exited), rank 3", or why there is no verdict
  std::string cuda;
  std::string sim_ms;  // median time to detect
  std::string cuda_ms;
  Agreement agreement = Agreement::same;
};

// One row per variant and number of ranks that either session has; `sim` and `cuda` by their back
// ends. Outcomes are held against what the GPU's session was declared to accept, causes and
// culprits against its runs' own judgement.
std::vector<ParityRow> parity(const Results& sim, const Results& cuda);

struct ParitySummary {
  int same = 0;
  int declared = 0;
  int undeclared = 0;
  int only_one = 0;
};
ParitySummary summarise(const std::vector<ParityRow>& rows);

// A table, and a sentence with the sums.
std::string parity_text(const std::vector<ParityRow>& rows);

}  // namespace gridlock::report
