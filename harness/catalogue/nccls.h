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

// Those from source, oldest first. A folder without a complete build is none.
std::vector<Nccl> find_nccls(const Installation& installation);

//   Errors   UsageError naming those that there are
Nccl find_nccl(const Installation& installation, const std::string& version);

// NAME=value: what makes a program that is linked with libnccl.so.2 take this one. In front of what
// the caller's environment has.
std::vector<std::string> environment_of(const Nccl& nccl, const Installation& installation);

}  // namespace gridlock::catalogue
