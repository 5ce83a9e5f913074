// Which GPU each rank gets if there are several agents. Ranks on one machine must not share a GPU
// while another is idle.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/gpus.h"
#include "harness/run/start/share.h"

namespace gridlock::run {

// The GPUs of several agents together. A GPU that several agents on one machine see counts once.
// The fault is that of the first agent that has one.
catalogue::Gpus together(std::span<const catalogue::Gpus> agents);

// The GPU of a rank that the agent with this share starts: LOCAL_RANK modulo their number, as
// programs choose it. Null if it has none.
//   REQUIRES  the rank is one of the share's
const catalogue::Gpu* gpu_of(int rank, const Share& share, const catalogue::Gpus& agent);

// How many of `ranks` each agent starts so that each rank has its own GPU, as evenly as possible;
// empty if there are too few GPUs.
std::vector<int> split_by_gpus(int ranks, std::span<const catalogue::Gpus> agents);

// Whether ranks must take turns on a GPU. `shares`, `agents`: by agent.
bool meet_on_a_gpu(std::span<const Share> shares, std::span<const catalogue::Gpus> agents);

}  // namespace gridlock::run
