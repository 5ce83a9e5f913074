// The environment in which a rank finds its peers, its black box and its recorder.
#pragma once

#include <string>
#include <vector>

#include "harness/run/boxes.h"
#include "harness/run/installation.h"
#include "harness/run/job.h"

namespace gridlock::run {

// The variables that torchrun sets, and the recorder's. `rank` -1: those that are equal on all
// ranks only.
std::vector<std::string> rank_environment(const Job& job, const Installation& installation,
                                          const Boxes& boxes, int port, int rank);

}  // namespace gridlock::run
