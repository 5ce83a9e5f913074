// How busy the GPUs of a hung job are, while it hangs.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "harness/catalogue/installation.h"

namespace gridlock::run {

// Figures by rank: gpu_utilisation_percent, gpu_memory_mib. A figure that is not known for every
// rank is left out.
using GpuFigures = std::map<std::string, std::vector<double>>;

// What `line`, one sample of `gridlock_gpus sample`, says about the processes. If the driver has no
// figures for a process, its GPU's figures count, if no other process is on it.
GpuFigures parse_loads(const std::string& line, const std::vector<pid_t>& pids);

// Samples for kUtilisationWatch, which is longer than the driver's own sample period, and returns
// the last one. A driver that hangs gives no figures.
//   Errors   none
//   Blocks   for kUtilisationWatch
GpuFigures watch_utilisation(const catalogue::Installation& installation,
                             const std::vector<pid_t>& pids);

}  // namespace gridlock::run
