// Describes the machine and the build that results come from.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/gpus.h"
#include "harness/report/results.h"
#include "harness/run/fellows.h"

namespace gridlock::session {

// `ranks` are the session's numbers of ranks, in any order.
report::Context make_context(const std::string& backend, std::vector<int> ranks);

// From what the recorder saw (Snapshot::backend).
void set_backend(report::Context& context, const std::string& recorded);

// Adds the GPUs that the ranks run on, and whether they share them.
void add_gpus(report::Context& context, const catalogue::Gpus& gpus, int nccl_version,
              int cuda_version);

// Adds the agents that ran the last job together, and the error of their clocks. Adds nothing if
// `fellows` is null.
void add_agents(report::Context& context, const run::Fellows* fellows);

// "2.28.9" from NCCL's version number, "13.0" from CUDA's.
std::string nccl_version_text(int version);
std::string cuda_version_text(int version);

}  // namespace gridlock::session
