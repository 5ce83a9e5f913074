// What a local socket waits for: its other end, or new connections.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace gridlock::run {

struct SocketEnd {
  std::string peer = {};       // "socket:[inode]" of the other end; "": it listens
  std::string name = {};       // its port or path, which it shares with what it accepts; "": none
  bool has_far_limit = false;  // waits on it have a time limit of at least kFarLimit

  bool operator==(const SocketEnd&) const = default;
};

// Of `file`, to which descriptor `number` of `pid` leads. Empty optional: the other end is not on
// this machine, waits on the socket have a short time limit, or data is still in transit between
// the two ends.
//   Blocks   no; asks the kernel
std::optional<SocketEnd> socket_end(pid_t pid, int number, const std::string& file);

}  // namespace gridlock::run
