// The machine and the build that results are from.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/gpus.h"
#include "harness/report/results.h"
#include "harness/run/fellows.h"

namespace gridlock::session {

// `ranks`: the numbers of ranks of the session, in any order.
report::Context make_context(const std::string& backend, std::vector<int> ranks);

// From what the recorder saw (Snapshot::backend).
void set_backend(report::Context& context, const std::string& recorded);

// What the session's ranks run on, and what of it they share.
void add_gpus(report::Context& context, const catalogue::Gpus& gpus, int nccl_version,
              int cuda_version);

// The agents that ran the last job together, and how well their clocks are known; nothing where
// `fellows` is null.
void add_agents(report::Context& context, const run::Fellows* fellows);

// "2.28.9" from NCCL's version number, "13.0" from CUDA's.
std::string nccl_version_text(int version);
std::string cuda_version_text(int version);

}  // namespace gridlock::session
