// The environment in which a rank finds its peers, its black box and its recorder.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/installation.h"
#include "harness/run/job.h"
#include "harness/run/start/boxes.h"

namespace gridlock::run {

// The variables that torchrun sets, the recorder's, and what sharing a GPU takes. `ports`: free
// ones. `index`: of the rank among those that this agent starts; -1: those that are equal on all
// ranks only.
// REQUIRES: the job has a master port.
std::vector<std::string> rank_environment(const Job& job,
                                          const catalogue::Installation& installation,
                                          const Boxes& boxes, const std::vector<int>& ports,
                                          int index);

// How many free ports this agent's ranks of `job` need, the one where all meet not counted.
int ports_needed(const Job& job);

}  // namespace gridlock::run
