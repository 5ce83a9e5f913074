// The environment in which a rank finds its peers, its black box and its recorder.
#pragma once

#include <string>
#include <vector>

#include "harness/run/boxes.h"
#include "harness/run/installation.h"
#include "harness/run/job.h"

namespace gridlock::run {

// The variables that torchrun sets, the recorder's, and what sharing a GPU takes. `ports`: free
// ones. `rank` -1: those that are equal on all
// ranks only.
std::vector<std::string> rank_environment(const Job& job, const Installation& installation,
                                          const Boxes& boxes, const std::vector<int>& ports,
                                          int rank);

// How many free ports the ranks of `job` need.
int ports_needed(const Job& job);

}  // namespace gridlock::run
