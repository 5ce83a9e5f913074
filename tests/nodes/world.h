// A private world for one test program: its own process numbers, mounts, network and host name. All
// that is started, mounted or set up inside is gone with its first process, however that ends, and
// two worlds never meet.
#pragma once

#include <string>

namespace gridlock::nodes {

// Goes on in the private world, in a new process; the caller waits for it, ends with its exit
// status and takes it along when it is killed itself. Call it before any thread is started. In the
// world /run is empty and the only network is a loopback.
//   Returns  "", or why no such world can be had: the program then goes on where it is
//   Blocks   the caller, until the world has ended
std::string enter_world();

}  // namespace gridlock::nodes
