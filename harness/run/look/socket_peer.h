// The other end of a connected local socket.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace gridlock::run {

// "socket:[inode]" of the other end of `file`, which descriptor `number` of `pid` leads to; nothing
// where there is none on this machine, where a time limit is set on waits at it, or something is
// still on its way between the two.
//   Blocks   no; asks the kernel
std::optional<std::string> socket_peer(pid_t pid, int number, const std::string& file);

}  // namespace gridlock::run
