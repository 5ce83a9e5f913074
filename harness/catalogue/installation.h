// Where the parts of Gridlock are: next to the program in a build, under lib/gridlock in an
// installation.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridlock::catalogue {

struct Installation {
  std::filesystem::path root;

  std::filesystem::path recorder() const { return root / "libgridlock_recorder.so"; }
  std::filesystem::path gpus() const { return root / "gridlock_gpus"; }
  // The benchmark of collectives; it exists only if benchmarks were built.
  std::filesystem::path collectives(const std::string& backend) const {
    return root / "benchmarks" / ("benchmark_collectives_" + backend);
  }
  // One folder for each version that was built from source.
  std::filesystem::path nccls() const { return root / "nccl"; }
  // The stand-in for NVML, which a real NCCL asks about devices.
  std::filesystem::path nvml() const { return root / "nvml"; }
  // The simulated CUDA's, under the vendors' names.
  std::filesystem::path headers() const;
  std::filesystem::path profiles() const { return root / "profiles"; }
  std::filesystem::path scenarios(const std::string& backend) const {
    return root / "scenarios" / backend;
  }
};

// $GRIDLOCK_HOME if it is set. Otherwise the program's own folder, or ../lib*/gridlock from there:
// the first that holds the recorder.
//   Errors   MachineError naming the searched places
Installation find_installation();

}  // namespace gridlock::catalogue
