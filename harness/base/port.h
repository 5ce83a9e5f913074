// Finds free ports for the ranks' rendezvous.
#pragma once

#include <vector>

namespace gridlock {

// Different TCP ports on which no process listens now. They lie below the system's range for
// outgoing connections, so no such connection takes one before a rank does.
//   Errors   MachineError if too few are free
std::vector<int> free_ports(int count);

}  // namespace gridlock
