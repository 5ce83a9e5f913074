// Functions whose module is loaded when they are first called.
#pragma once

namespace sim::ptx {

struct Function;

class LateFunctions {
 public:
  virtual ~LateFunctions() = default;

  // The function that `late` stands for. Thread-safe. Throws Refused where it cannot be had.
  //   Blocks   while its module is made, the first time
  virtual const Function& bring(const Function& late) const = 0;
};

}  // namespace sim::ptx
