// The other end of a connected local socket.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace gridlock::run {

// "socket:[inode]" of the other end of `file`, to which descriptor `number` of `pid` leads. Empty
// optional: the other end is not on this machine, waits on the socket have a time limit, or data is
// still in transit between the two ends.
//   Blocks   no; asks the kernel
std::optional<std::string> socket_peer(pid_t pid, int number, const std::string& file);

}  // namespace gridlock::run
