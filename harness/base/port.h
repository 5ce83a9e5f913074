// Free ports for the ranks' rendezvous.
#pragma once

#include <vector>

namespace gridlock {

// Different TCP ports on which no process listens now. They lie below the range that the system
// uses for outgoing connections, so that no such connection takes one before a rank does.
//   Errors   MachineError when too few are free
std::vector<int> free_ports(int count);

}  // namespace gridlock
