// How busy the GPUs of a hung job are, while it hangs.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <vector>

#include "harness/catalogue/installation.h"

namespace gridlock::run {

// Figures by rank: gpu_utilisation_percent, gpu_memory_mib. One that is not known of every rank is
// left out.
using GpuFigures = std::map<std::string, std::vector<double>>;

// What `line`, one sample of `gridlock_gpus sample`, says of the processes. Of a process that the
// driver says nothing about, how busy its GPU is counts, where it is alone there.
GpuFigures parse_loads(const std::string& line, const std::vector<pid_t>& pids);

// Samples for kUtilisationWatch, which is longer than the driver's own sample period, and returns
// the last one. A driver that hangs gives no figures.
//   Errors   none
//   Blocks   for kUtilisationWatch
GpuFigures watch_utilisation(const catalogue::Installation& installation,
                             const std::vector<pid_t>& pids);

}  // namespace gridlock::run
