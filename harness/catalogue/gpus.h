// The GPUs of this machine. A helper program reports them, because nobody here calls their driver.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/installation.h"

namespace gridlock::catalogue {

// One GPU, as its driver names it.
struct Gpu {
  std::string name;
  std::string uuid;    // "GPU-…", or "MIG-…" of a part of one
  std::string serial;  // "" where the driver does not say
};

struct Gpus {
  int count = 0;             // that the ranks may use
  std::string name;          // of the first
  std::string driver;        // "580.82.07"
  int cuda = 0;              // newest that the driver serves: 13000
  std::string fault;         // why there are none
  bool is_broken = false;    // because the driver or the helper fails, not because there is none
  std::vector<Gpu> devices;  // those that the ranks may use, in CUDA's order
};

// What `text`, the answer of `gridlock_gpus list`, says of the GPUs that CUDA shows here.
//   Errors   MachineError when it is no such answer
Gpus parse_gpus(const std::string& text);

// Asks gridlock_gpus.
//   Errors   none: what goes wrong, a driver that does not answer too, is said in `fault`
//   Blocks   at most kGpuLimit
Gpus find_gpus(const Installation& installation);

}  // namespace gridlock::catalogue
