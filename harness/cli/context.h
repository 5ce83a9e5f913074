// The machine and the build that results are from.
#pragma once

#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::cli {

// `ranks`: the numbers of ranks of the session, in any order.
//   Blocks   for a few seconds at most, when a GPU is asked for its name
report::Context make_context(const std::string& backend, std::vector<int> ranks);

// "2.28.9" from NCCL's version number.
std::string nccl_version_text(int version);

}  // namespace gridlock::cli
