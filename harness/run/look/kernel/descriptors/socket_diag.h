// What the kernel says about single sockets of this network namespace, by its sock_diag protocol.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <optional>

namespace gridlock::run {

// The peer's inode of the Unix socket with this inode; 0: none, or nobody may ask.
//   Blocks   no; four system calls
std::uint32_t unix_peer(std::uint32_t inode);

struct TcpSocket {
  std::uint32_t inode = 0;  // 0: no process has it any more
  bool is_established = false;
  bool has_unsent = false;  // the other end has not acknowledged it
  bool has_unread = false;
  // Bytes since the connection was made. `sent`: unknown while some wait here or were sent again.
  std::optional<std::uint64_t> sent;
  std::optional<std::uint64_t> received;
};

// Whether all that `from` has sent lies at `to`, or has been read there. The acknowledgement may
// take another 40 ms, also inside one machine.
bool has_all_arrived(const TcpSocket& from, const TcpSocket& to);

// The TCP socket with these addresses, of IPv4 or IPv6; {}: none, or nobody may ask. The kernel
// finds it at once, whereas /proc/net/tcp walks through a table that takes milliseconds on a
// machine with much memory.
//   Blocks   no; four system calls
std::optional<TcpSocket> tcp_socket(const sockaddr_storage& local, const sockaddr_storage& remote);

}  // namespace gridlock::run
