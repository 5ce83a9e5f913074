// Faults of a rank's own network link. The kernel makes them, in the network namespace of a
// simulated host (docs/nodes.md), whose link no other host uses.
#pragma once

#include <string>

namespace gridlock {

class Link {
 public:
  // The link that GRIDLOCK_SIM_LINK names.
  //   Errors  CannotRunHere if the variable is not set: nobody's real link is touched
  Link();

  // Each change takes effect at once, for all ranks of the host.
  //   Errors  std::runtime_error with the command or the call that failed; CannotRunHere if the
  //           machine lacks the program or the kernel the feature
  void down() const { set(false); }
  void up() const { set(true); }
  // Drops this share of the packets that arrive.
  void lose(int percent) const;
  // What the host sends gets no more than this much of the link.
  void limit_to(int kilobits_per_second) const;

 private:
  void set(bool is_up) const;

  std::string name_;
};

}  // namespace gridlock
