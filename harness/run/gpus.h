// The GPUs of this machine, as a program of its own reports them: nobody here calls their driver.
#pragma once

#include <string>
#include <vector>

#include "harness/run/installation.h"

namespace gridlock::run {

struct Gpus {
  int count = 0;       // that the ranks may use
  std::string name;    // of the first
  std::string driver;  // "580.82.07"
  int cuda = 0;        // newest that the driver serves: 13000
  std::string fault;   // why there are none
};

// What `text`, the answer of `gridlock_gpus list`, says of the GPUs that CUDA_VISIBLE_DEVICES lets
// through. `visible`: its value; null: not set, all are.
//   Errors   MachineError when it is no such answer
Gpus parse_gpus(const std::string& text, const char* visible);

// Asks gridlock_gpus.
//   Errors   none: what goes wrong, a driver that does not answer too, is said in `fault`
//   Blocks   at most kGpuLimit
Gpus find_gpus(const Installation& installation);

}  // namespace gridlock::run
