// Free ports for the ranks' rendezvous.
#pragma once

#include <vector>

namespace gridlock {

// TCP ports that nobody listens on now, all different. Below the range from which the system gives
// ports to outgoing connections, so that none of those takes one before a rank does.
//   Errors   MachineError when there are not so many
std::vector<int> free_ports(int count);

}  // namespace gridlock
