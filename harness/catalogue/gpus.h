// The GPUs of this machine. A separate program reports them, because the harness never calls their
// driver.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/installation.h"

namespace gridlock::catalogue {

// One GPU, as its driver names it.
struct Gpu {
  std::string name;
  std::string uuid;    // "GPU-…", or "MIG-…" of a part of one
  std::string serial;  // "" if the driver does not say
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

// Parses `text`, the answer of `gridlock_gpus list`: the GPUs that CUDA shows here.
//   Errors   MachineError if it is not such an answer
Gpus parse_gpus(const std::string& text);

// Asks gridlock_gpus.
//   Errors   none: `fault` says what went wrong, even if the driver does not answer
//   Blocks   at most kGpuLimit
Gpus find_gpus(const Installation& installation);

}  // namespace gridlock::catalogue
