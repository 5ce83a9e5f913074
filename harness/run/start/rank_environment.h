// The environment in which a rank finds its peers, its black box and its recorder.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/installation.h"
#include "harness/run/job.h"
#include "harness/run/start/boxes.h"

namespace gridlock::run {

// The variables that torchrun sets, the recorder's, and those for sharing a GPU. `ports`: free
// ports. `index`: of the rank among those that this agent starts; -1: only the variables that are
// equal on all ranks.
// REQUIRES: the job has a master port.
std::vector<std::string> rank_environment(const Job& job,
                                          const catalogue::Installation& installation,
                                          const Boxes& boxes, const std::vector<int>& ports,
                                          int index);

// The simulated host of the rank that is `index` among those that this agent starts, and the ranks
// there. Without simulated hosts: -1, and all of this agent's ranks.
struct Place {
  int host = -1;
  Share share;
};
Place place_of(const Job& job, int index);

// How many free ports this agent's ranks of `job` need, besides the one where all ranks meet.
int ports_needed(const Job& job);

}  // namespace gridlock::run
