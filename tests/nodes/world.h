// A private world for one test program: its own process numbers, mounts, network and host name.
// Everything that is started, mounted or set up inside vanishes with its first process, however
// that ends. Two worlds never meet.
#pragma once

#include <string>

namespace gridlock::nodes {

// Continues in the private world, in a new process. The calling process waits for it and ends with
// its exit status; if the caller is killed, the new process dies too. Call it before any thread is
// started. In the world, /run is empty and the only network is a loopback.
//   Returns  "", or why there is no such world; the program then continues in the old process
//   Blocks   the caller, until the world has ended
std::string enter_world();

}  // namespace gridlock::nodes
