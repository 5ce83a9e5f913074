// The calls at one communicator's slots in flight, gathered during the walk over operations. Each
// rank's slots may begin anywhere, so the window grows at both ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/detect/calls/rules.h"

namespace gridlock::detect {

class SlotWindow {
 public:
  struct Calls {
    std::uint32_t count = 0;
    Shape shape;                               // of the first one
    Difference difference = Difference::none;  // the worst of the others' to it
  };

  void add(std::uint64_t number, const Shape& shape);

  // Number of the first slot that was called.
  std::uint64_t base() const { return base_; }
  // From the first slot to the last. Empty if none was called, or if they lie millions apart: that
  // is damage, and nothing is proven about it.
  std::span<const Calls> calls() const;

 private:
  // Grows the window to hold `number`; false if it is damaged.
  bool reach(std::uint64_t number);

  std::vector<Calls> calls_;
  std::uint64_t first_ = 0;  // number of calls_.front()
  std::uint64_t base_ = 0;
  std::uint64_t last_ = 0;
  bool is_damaged_ = false;
};

}  // namespace gridlock::detect
