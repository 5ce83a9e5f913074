// A copy of the descriptor tells the kind of socket; sock_diag or /proc/<pid>/net/tcp tells its
// other end.
#include "harness/run/look/kernel/descriptors/socket_peer.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "harness/base/file_descriptor.h"

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

bool has_limit(const FileDescriptor& socket, int name) {
  timeval limit{};
  socklen_t size = sizeof limit;
  return getsockopt(socket.get(), SOL_SOCKET, name, &limit, &size) != 0 || limit.tv_sec != 0 ||
         limit.tv_usec != 0;
}

// The peer of a Unix socket; 0: none.
std::uint32_t unix_peer(std::uint32_t inode) {
  const FileDescriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink.is_open()) return 0;
  struct {
    nlmsghdr header;
    unix_diag_req request;
  } question{};
  question.header = {.nlmsg_len = sizeof question,
                     .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                     .nlmsg_flags = NLM_F_REQUEST,
                     .nlmsg_seq = 1,
                     .nlmsg_pid = 0};
  question.request.sdiag_family = AF_UNIX;
  question.request.udiag_states = ~0U;
  question.request.udiag_ino = inode;
  question.request.udiag_show = UDIAG_SHOW_PEER;
  question.request.udiag_cookie[0] = question.request.udiag_cookie[1] = ~0U;
  if (send(netlink.get(), &question, sizeof question, 0) < 0) return 0;
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  const ssize_t size = recv(netlink.get(), answer.data(), answer.size(), MSG_DONTWAIT);
  auto left = static_cast<int>(size);
  const auto* header = reinterpret_cast<const nlmsghdr*>(answer.data());
  if (!NLMSG_OK(header, left) || header->nlmsg_type != SOCK_DIAG_BY_FAMILY) return 0;
  const auto* found = static_cast<const unix_diag_msg*>(NLMSG_DATA(header));
  auto length = static_cast<int>(header->nlmsg_len - NLMSG_LENGTH(sizeof *found));
  for (const auto* part = reinterpret_cast<const rtattr*>(found + 1); RTA_OK(part, length);
       part = RTA_NEXT(part, length)) {
    std::uint32_t peer = 0;
    if (part->rta_type != UNIX_DIAG_PEER) continue;
    std::memcpy(&peer, RTA_DATA(part), sizeof peer);
    return peer;
  }
  return 0;
}

struct Connection {
  std::string local;
  std::string remote;
  std::string inode;
  bool is_established = false;
  bool has_unsent = false;  // the other end has not acknowledged it
  bool has_unread = false;
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
      all.push_back({.local = address_of(local),
                     .remote = address_of(remote),
                     .inode = std::move(inode),
                     .is_established = state == "01",
                     .has_unsent = !queues.starts_with("00000000:"),
                     .has_unread = !queues.ends_with(":00000000")});
    }
  }
  return all;
}

// What the other end has not read yet wakes nobody here.
std::optional<std::string> tcp_peer(pid_t pid, std::string_view inode) {
  const std::vector<Connection> all = connections(pid);
  const auto own = std::ranges::find(all, inode, &Connection::inode);
  if (own == all.end() || !own->is_established || own->has_unsent || own->has_unread) return {};
  for (const Connection& other : all) {
    const bool is_other_end = other.local == own->remote && other.remote == own->local;
    if (!is_other_end || other.inode == "0" || other.inode == inode) continue;
    if (!other.is_established || other.has_unsent) return {};
    return fmt::format("socket:[{}]", other.inode);
  }
  return {};  // its peer is on another machine
}

}  // namespace

std::optional<std::string> socket_peer(pid_t pid, int number, const std::string& file) {
  const FileDescriptor socket = copy_of(pid, number);
  if (!socket.is_open() || has_limit(socket, SO_RCVTIMEO) || has_limit(socket, SO_SNDTIMEO)) {
    return {};
  }
  const std::string inode = file.substr(file.find('[') + 1, file.find(']') - file.find('[') - 1);
  const int family = option(socket, SO_DOMAIN);
  const bool is_stream = option(socket, SO_TYPE) == SOCK_STREAM;
  if (family == AF_UNIX) {
    const auto own = static_cast<std::uint32_t>(std::strtoul(inode.c_str(), nullptr, 10));
    const std::uint32_t peer = unix_peer(own);
    // A datagram may come from any process, unless both ends are connected to each other.
    if (peer == 0 || (option(socket, SO_TYPE) == SOCK_DGRAM && unix_peer(peer) != own)) return {};
    return fmt::format("socket:[{}]", peer);
  }
  if ((family == AF_INET || family == AF_INET6) && is_stream) return tcp_peer(pid, inode);
  return {};
}

}  // namespace gridlock::run
