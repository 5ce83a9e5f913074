// Which NCCLs there are for the simulated CUDA: our own, and those that were built from source.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/catalogue/installation.h"

namespace gridlock::catalogue {

struct Nccl {
  std::string version;  // 2.28.9
  std::filesystem::path folder;
  std::string source;  // where its source came from
};

// 2.28.9 as NCCL counts: 22809.
int version_number(const Nccl& nccl);

// Those from source, oldest first. A folder without a complete build does not count.
std::vector<Nccl> find_nccls(const Installation& installation);

//   Errors   UsageError that names the available ones, or says that the simulated NVML is missing
Nccl find_nccl(const Installation& installation, const std::string& version);

// Those of `versions`, oldest first, each once. No version means all that are built.
//   Errors   UsageError that names those that are missing, and what builds them; likewise if the
//            simulated NVML is
std::vector<Nccl> find_nccls(const Installation& installation,
                             const std::vector<std::string>& versions);

// Variables (NAME=value) that make a program linked with libnccl.so.2 load this one, and show it
// the topology that GRIDLOCK_SIM_TOPOLOGY names. Paths go in front of the caller's own.
//   Errors   UsageError that names the topologies
std::vector<std::string> environment_of(const Nccl& nccl, const Installation& installation);

}  // namespace gridlock::catalogue
