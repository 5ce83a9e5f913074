// What a local socket waits for: its other end, or new connections.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/duration.h"

namespace gridlock::run {

struct SocketEnd {
  std::string peer = {};     // "socket:[inode]" of the other end, on this machine
  std::string far_end = {};  // the connection's name at the other end, on another host
  std::string name = {};     // its port or path, which it shares with what it accepts; "": none
  bool listens = false;      // it waits for connections, and has no other end
  // Calls that block on it have a time limit, one of at least kFarLimit or a shorter one.
  bool has_far_limit = false;
  bool has_near_limit = false;
  // The other end has received all that was sent, but not confirmed it: then there is more room.
  bool makes_room = false;
  // Then it also tells a poll, whatever that asks for (SO_ZEROCOPY, SO_TIMESTAMPING).
  bool tells_of_confirmations = false;

  bool operator==(const SocketEnd&) const = default;
};

// Of `file`, to which descriptor `number` of `pid` leads. Empty optional: data is still in transit
// between the two ends, or it is another kind of socket.
//   Blocks   no; asks the kernel
std::optional<SocketEnd> socket_end(pid_t pid, int number, const std::string& file);

// Whether it is a local socket, which has a path or nothing for a name.
bool is_unix(pid_t pid, int number);

// For how long who reads from the socket waits at most (SO_RCVTIMEO); 0: no limit is known.
Duration limit_to_receive(pid_t pid, int number);
Duration limit_to_send(pid_t pid, int number);

// A TCP connection to another host or network namespace, to which nothing is under way.
struct QuietConnection {
  std::string name;  // see record::FarConnection
  std::uint32_t inode = 0;
};
// All of the network namespace of `pid`.
//   Blocks   no; reads /proc/PID/net/tcp and tcp6
std::vector<QuietConnection> quiet_connections(pid_t pid);

}  // namespace gridlock::run
