// A copy of the descriptor tells the kind of socket. sock_diag tells its other end, or
// /proc/<pid>/net/tcp if it lies in another network namespace or nobody may ask.
#include "harness/run/look/kernel/descriptors/socket_end.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "harness/base/file_descriptor.h"
#include "harness/run/look/kernel/descriptors/socket_diag.h"
#include "harness/run/look/kernel/time_limit.h"

namespace gridlock::run {
namespace {

FileDescriptor copy_of(pid_t pid, int number) {
  const FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  if (!process.is_open()) return {};
  return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_getfd, process.get(), number, 0)));
}

int option(const FileDescriptor& socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(socket.get(), SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

// Zero: none. {}: it is not known.
std::optional<Duration> duration_of(const FileDescriptor& socket, int name) {
  timeval limit{};
  socklen_t size = sizeof limit;
  if (getsockopt(socket.get(), SOL_SOCKET, name, &limit, &size) != 0) return {};
  return std::chrono::seconds(limit.tv_sec) + std::chrono::microseconds(limit.tv_usec);
}

TimeLimit limit_of(const FileDescriptor& socket, int name) {
  const std::optional<Duration> limit = duration_of(socket, name);
  if (!limit) return TimeLimit::near;
  return *limit == Duration(0) ? TimeLimit::none : time_limit(*limit);
}

// A listener may have any address of the machine, and what it accepts has one of them. So the port
// alone names both.
std::string name_of(const FileDescriptor& socket) {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) != 0) return "";
  if (own.ss_family == AF_UNIX) {
    const auto* path = reinterpret_cast<const sockaddr_un*>(&own)->sun_path;
    constexpr std::size_t kBefore = offsetof(sockaddr_un, sun_path);
    return size > kBefore ? std::string(path, size - kBefore) : "";
  }
  // The port lies at the same place in both kinds of addresses.
  return std::to_string(ntohs(reinterpret_cast<const sockaddr_in*>(&own)->sin_port));
}

struct Connection {
  std::string local;
  std::string remote;
  TcpSocket socket;
};

// A socket of IPv6 that speaks IPv4 shows "0000000000000000FFFF00000100007F:1F90", and its other
// end may be a socket of IPv4: "0100007F:1F90".
std::string address_of(const std::string& text) {
  constexpr std::string_view kMapped = "0000000000000000FFFF0000";
  return text.starts_with(kMapped) ? text.substr(kMapped.size()) : text;
}

std::vector<Connection> connections(pid_t pid) {
  std::vector<Connection> all;
  for (const std::string_view table : {"tcp", "tcp6"}) {
    std::ifstream file(fmt::format("/proc/{}/net/{}", pid, table));
    std::string line;
    std::getline(file, line);  // the heading
    while (std::getline(file, line)) {
      // "0: 0100007F:1F90 0100007F:C5D2 01 00000000:00000000 00:00000000 00000000 0 0 1234 …"
      std::istringstream words(line);
      std::string number, local, remote, state, queues, timer, retransmits, user, timeout, inode;
      words >> number >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
          timeout >> inode;
      all.push_back(
          {.local = address_of(local),
           .remote = address_of(remote),
           .socket = {.inode = static_cast<std::uint32_t>(std::strtoul(inode.c_str(), nullptr, 10)),
                      .is_established = state == "01",
                      .has_unsent = !queues.starts_with("00000000:"),
                      .has_unread = !queues.ends_with(":00000000"),
                      .sent = {},
                      .received = {}}});
    }
  }
  return all;
}

struct Ends {
  TcpSocket own;
  std::optional<TcpSocket> other;  // {}: it is on another machine
  bool makes_room = false;         // see SocketEnd
};

// {}: the socket is not in the process's tables.
std::optional<Ends> ends_in_tables(pid_t pid, std::uint32_t inode) {
  const std::vector<Connection> all = connections(pid);
  const auto own = std::ranges::find(
      all, inode, [](const Connection& connection) { return connection.socket.inode; });
  if (own == all.end()) return {};
  Ends ends{.own = own->socket, .other = {}};
  for (const Connection& other : all) {
    const bool is_other_end = other.local == own->remote && other.remote == own->local;
    if (is_other_end && other.socket.inode != 0 && other.socket.inode != inode) {
      ends.other = other.socket;
    }
  }
  return ends;
}

// {}: it lies in another network namespace, or nobody may ask.
std::optional<Ends> ends_by_diag(const FileDescriptor& socket, std::uint32_t inode) {
  sockaddr_storage local{};
  sockaddr_storage remote{};
  socklen_t size = sizeof local;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&local), &size) != 0) return {};
  size = sizeof remote;
  if (getpeername(socket.get(), reinterpret_cast<sockaddr*>(&remote), &size) != 0) return {};
  const std::optional<TcpSocket> own = tcp_socket(local, remote);
  if (!own || own->inode != inode) return {};
  const std::optional<TcpSocket> other = tcp_socket(remote, local);
  if (!other || other->inode == 0 || other->inode == inode) return Ends{.own = *own, .other = {}};
  Ends ends{.own = *own, .other = other};
  if (own->has_unsent && has_all_arrived(*own, *other)) {
    ends.own.has_unsent = false;
    ends.makes_room = true;
  }
  if (has_all_arrived(*other, *own)) ends.other->has_unsent = false;
  return ends;
}

std::string link_to(std::uint32_t inode) { return fmt::format("socket:[{}]", inode); }

std::string name_at(const std::string& near, const std::string& far) {
  return fmt::format("{}>{}", near, far);
}

// The name of the connection at its other end; "" if it is not in the process's tables.
std::string name_at_far_end(pid_t pid, std::uint32_t inode) {
  for (const Connection& one : connections(pid)) {
    if (one.socket.inode == inode) return name_at(one.remote, one.local);
  }
  return "";
}

// Adds the other end. What that has not read yet wakes nobody here. False: there is none to wait
// for.
bool add_other_end(pid_t pid, const FileDescriptor& socket, std::uint32_t inode, SocketEnd& end) {
  std::optional<Ends> ends = ends_by_diag(socket, inode);
  if (!ends) ends = ends_in_tables(pid, inode);
  if (!ends) return false;
  const TcpSocket& own = ends->own;
  if (!own.is_established || own.has_unsent || own.has_unread) return false;
  if (!ends->other) {
    end.far_end = name_at_far_end(pid, inode);
    return !end.far_end.empty();
  }
  if (!ends->other->is_established || ends->other->has_unsent) return false;
  end.makes_room = ends->makes_room;
  end.peer = link_to(ends->other->inode);
  return true;
}

}  // namespace

std::optional<SocketEnd> socket_end(pid_t pid, int number, const std::string& file) {
  const FileDescriptor socket = copy_of(pid, number);
  if (!socket.is_open()) return {};
  const TimeLimit to_receive = limit_of(socket, SO_RCVTIMEO);
  const TimeLimit to_send = limit_of(socket, SO_SNDTIMEO);
  SocketEnd end{.name = name_of(socket),
                .has_far_limit = to_receive == TimeLimit::far || to_send == TimeLimit::far,
                .has_near_limit = to_receive == TimeLimit::near || to_send == TimeLimit::near,
                .tells_of_confirmations =
                    option(socket, SO_ZEROCOPY) != 0 || option(socket, SO_TIMESTAMPING) != 0};
  const auto inode =
      static_cast<std::uint32_t>(std::strtoul(file.c_str() + file.find('[') + 1, nullptr, 10));
  const int family = option(socket, SO_DOMAIN);
  const bool is_stream = option(socket, SO_TYPE) == SOCK_STREAM;
  const bool is_tcp = (family == AF_INET || family == AF_INET6) && is_stream;
  if (is_tcp || family == AF_UNIX) {
    const int listens = option(socket, SO_ACCEPTCONN);
    if (listens < 0) return {};
    end.listens = listens > 0;
    if (end.listens) return end;
  }
  if (family == AF_UNIX) {
    const std::uint32_t peer = unix_peer(inode);
    // A datagram may come from any process, unless both ends are connected to each other.
    if (peer == 0 || (option(socket, SO_TYPE) == SOCK_DGRAM && unix_peer(peer) != inode)) return {};
    end.peer = link_to(peer);
    return end;
  }
  if (!is_tcp || !add_other_end(pid, socket, inode, end)) return {};
  return end;
}

bool is_unix(pid_t pid, int number) {
  const FileDescriptor socket = copy_of(pid, number);
  return socket.is_open() && option(socket, SO_DOMAIN) == AF_UNIX;
}

namespace {

Duration limit_of(pid_t pid, int number, int option) {
  const FileDescriptor socket = copy_of(pid, number);
  if (!socket.is_open()) return {};
  const Duration limit = duration_of(socket, option).value_or(Duration(0));
  return limit + limit / 8;  // such timers of the kernel (its timer wheel) may be that late
}

}  // namespace

Duration limit_to_receive(pid_t pid, int number) { return limit_of(pid, number, SO_RCVTIMEO); }
Duration limit_to_send(pid_t pid, int number) { return limit_of(pid, number, SO_SNDTIMEO); }

std::vector<QuietConnection> quiet_connections(pid_t pid) {
  const std::vector<Connection> all = connections(pid);
  std::unordered_set<std::string> here;
  for (const Connection& one : all) {
    if (one.socket.inode != 0) here.insert(name_at(one.local, one.remote));
  }
  std::vector<QuietConnection> quiet;
  for (const Connection& one : all) {
    const bool is_quiet = one.socket.is_established && !one.socket.has_unsent;
    if (!is_quiet || here.contains(name_at(one.remote, one.local))) continue;
    quiet.push_back({.name = name_at(one.local, one.remote), .inode = one.socket.inode});
  }
  return quiet;
}

}  // namespace gridlock::run
