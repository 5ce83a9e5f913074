// Limits how many kernels run on a device at the same time (GRIDLOCK_SIM_ROOM), to simulate a GPU
// that is almost full.
#pragma once

#include <stop_token>

namespace sim::kernels {

class Room {
 public:
  // Blocks   until another kernel of the device ends, if there is no room
  Room(int device, const std::stop_token& stop);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  // False if the wait was stopped.
  bool taken() const { return taken_; }

 private:
  const int device_;
  bool taken_ = true;
};

}  // namespace sim::kernels
