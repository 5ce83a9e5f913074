// Finds free ports for the ranks' rendezvous.
#pragma once

#include <vector>

namespace gridlock {

// Different TCP ports on which no process listens now. They lie below the system's range for
// outgoing connections, so no such connection takes one before a rank does. No other agent gets
// them until this process has searched eight times more, or has ended.
//   Errors   MachineError if too few are free
std::vector<int> free_ports(int count);

}  // namespace gridlock
