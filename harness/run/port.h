// A free port for the ranks' rendezvous.
#pragma once

namespace gridlock::run {

// A TCP port that nobody listens on now. Below the range from which the system gives ports to
// outgoing connections, so that none of those takes it before rank 0 does.
//   Errors   MachineError when there is none
int free_port();

}  // namespace gridlock::run
