// The environment variables that tell CUDA how to number GPUs, and tell NCCL that ranks may share
// one.
#pragma once

#include <string>
#include <vector>

namespace gridlock::run {

// What the ranks of a job run on.
struct GpuSet {
  int count = 0;         // GPUs of this machine that they may use
  int nccl_version = 0;  // as NCCL counts: 22809
  bool one_host = true;  // all ranks are on this host, and meet over its loopback
};

inline bool is_shared(const GpuSet& gpus, int ranks) { return gpus.count < ranks; }

// The variables of a rank on a GPU. Its GPU is LOCAL_RANK modulo their number, and CUDA must number
// GPUs as we do. If the rank has no GPU of its own, the variables for sharing one are included.
//
// NCCL refuses two ranks of a communicator whose host and bus number are equal. So each process
// gets its own host name and talks over sockets, as separate hosts do. Shared-memory and multi-node
// NVLink paths, which would look at the real host, are off. The kernels of different ranks take
// turns on a GPU, so each must make do with the least: one block, one ring, connections made at
// init. `ras_port`: a free port, different for each rank (ranks with equal ports would meet as one
// job).
//   Source  NCCL 2.28, src/init.cc (duplicate GPU check); user guide, environment variables
std::vector<std::string> gpu_environment(const GpuSet& gpus, int ranks, int rank,
                                         const std::string& job, int ras_port);

// Splits `variables` (NAME=value) by whether the name `is_set` in the environment already: the
// user's value takes precedence.
struct Merged {
  std::vector<std::string> added;
  std::vector<std::string> kept;  // NAME=value of the user
};
Merged merge_with_users(const std::vector<std::string>& variables,
                        const char* (*value_of)(const char* name));

}  // namespace gridlock::run
