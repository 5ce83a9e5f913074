// When an operation may begin while operations of other communicators run on its device.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>

namespace sim::nccl {

class Communicator;

// The operations of one device of this process.
//   NCCL_LAUNCH_ORDER_IMPLICIT=1  each begins after all that the host issued earlier have begun
//   GRIDLOCK_SIM_ROOM=N           at most N run at the same time
class Launches {
 public:
  // Takes the next place in the order of issue.
  std::uint64_t issue();

  // Blocks until the order and the room allow the operation to begin.
  //   Returns  false if the communicator was stopped; then its place is given up
  bool begin(std::uint64_t place, const Communicator& communicator);

  // Gives back the room that a successful begin() took.
  void end();

  // Gives up the place of an operation that will never begin.
  void skip(std::uint64_t place);

 private:
  void pass(std::uint64_t place);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t issued_ = 0;
  std::uint64_t next_ = 0;       // to begin
  std::set<std::uint64_t> out_;  // places behind next_ that have begun or were given up
  int running_ = 0;
};

// Never destroyed, because streams may still run when the process exits.
Launches& launches_of(int device);

}  // namespace sim::nccl
