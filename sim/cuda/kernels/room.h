// How many kernels run side by side on a device: GRIDLOCK_SIM_ROOM, for a GPU that is as good as
// full.
#pragma once

#include <stop_token>

namespace sim::kernels {

class Room {
 public:
  // Blocks   until another kernel of the device ends, where there is room for no more
  Room(int device, const std::stop_token& stop);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // False where the wait was stopped.
  bool taken() const { return taken_; }

 private:
  const int device_;
  bool taken_ = true;
};

}  // namespace sim::kernels
