// The part of NVML that we use. It is loaded at run time, so it needs no header, no linking and no
// GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gridlock::gpus {

struct Gpu {
  std::string name;
  std::string uuid;       // "GPU-…" or "MIG-…", what CUDA_VISIBLE_DEVICES may name
  std::string serial;     // of the board; "" if the driver cannot read one
  double memory_mib = 0;  // 0: not known
};

// What runs on a GPU at one moment.
struct Load {
  int gpu_percent = 0;     // of the last sample period in which a kernel was running
  int memory_percent = 0;  // of it in which memory was read or written
  double memory_mib = 0;   // in use by all processes
  struct Process {
    std::int64_t pid = 0;
    std::optional<double> memory_mib;  // not known inside some containers
    std::optional<int> sm_percent;     // of the multiprocessors' time, used by this process
  };
  std::vector<Process> processes;  // with a compute context
};

class Nvml {
 public:
  // Loads libnvidia-ml.so.1 and starts it. If that fails, `fault` says why, and there are no GPUs.
  //   Blocks   for as long as the driver does
  Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const std::string& fault() const { return fault_; }
  // Whether there is a driver, even a broken one.
  bool has_driver() const { return has_driver_; }
  const std::string& driver() const { return driver_; }   // "580.82.07"
  int cuda() const { return cuda_; }                      // newest that the driver serves: 13000
  const std::vector<Gpu>& gpus() const { return gpus_; }  // all that the driver knows

  // What runs on GPU `index` now. Nothing if the driver does not say.
  //   Blocks   for as long as the driver does
  std::optional<Load> load(std::size_t index) const;

 private:
  struct Functions;
  void read_gpus();
  void add_samples(void* handle, Load& load) const;

  const Functions* functions_ = nullptr;
  bool has_driver_ = false;
  std::string fault_;
  std::string driver_;
  int cuda_ = 0;
  std::vector<void*> handles_;
  std::vector<Gpu> gpus_;
};

}  // namespace gridlock::gpus
