// The environment variables that tell CUDA which GPU has which number, and NCCL that ranks may
// share one.
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

// The variables of a rank that runs on a GPU: LOCAL_RANK modulo their number, which CUDA must count
// as we do; and those for sharing it, where it has none of its own.
//
// NCCL refuses two ranks of a communicator whose host and bus number are equal. So each process
// gets a host name of its own, and then talks over sockets, as hosts do; shared-memory and
// multi-node NVLink paths, which would look at the real host, are off. Two ranks' kernels take
// turns on a GPU, so that each must get by with the least: one block, one ring, connections made
// beforehand. `ras_port`: a free port, different for each rank (equal ones would meet as one job).
//   Source  NCCL 2.28, src/init.cc (duplicate GPU check); user guide, environment variables
std::vector<std::string> gpu_environment(const GpuSet& gpus, int ranks, int rank,
                                         const std::string& job, int ras_port);

// Of `variables` (NAME=value) those whose name `is_set` in the environment already: the user's
// word counts.
struct Merged {
  std::vector<std::string> added;
  std::vector<std::string> kept;  // NAME=value of the user
};
Merged merge_with_users(const std::vector<std::string>& variables,
                        const char* (*value_of)(const char* name));

}  // namespace gridlock::run
