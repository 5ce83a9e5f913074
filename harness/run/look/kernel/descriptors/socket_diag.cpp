// Each question is sent over a netlink socket of its own.
#include "harness/run/look/kernel/descriptors/socket_diag.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "harness/base/file_descriptor.h"

namespace gridlock::run {
namespace {

// TCP_ESTABLISHED in <netinet/tcp.h>, which cannot stand beside <linux/tcp.h>.
constexpr std::uint8_t kEstablished = 1;

// What the kernel answers to one question about one socket.
template <class Request>
class Answer {
 public:
  explicit Answer(const Request& request) {
    const FileDescriptor netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!netlink.is_open()) return;
    struct {
      nlmsghdr header;
      Request request;
    } question{};
    question.header = {.nlmsg_len = sizeof question,
                       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                       .nlmsg_flags = NLM_F_REQUEST,
                       .nlmsg_seq = 1,
                       .nlmsg_pid = 0};
    question.request = request;
    if (send(netlink.get(), &question, sizeof question, 0) < 0) return;
    size_ = recv(netlink.get(), bytes_.data(), bytes_.size(), MSG_DONTWAIT);
  }
  // Null if there is none.
  const nlmsghdr* message() const {
    const auto* header = reinterpret_cast<const nlmsghdr*>(bytes_.data());
    const bool is_whole = size_ >= static_cast<ssize_t>(sizeof *header) &&
                          header->nlmsg_len <= static_cast<std::size_t>(size_);
    return is_whole && header->nlmsg_type == SOCK_DIAG_BY_FAMILY ? header : nullptr;
  }

 private:
  alignas(nlmsghdr) std::array<char, 4096> bytes_{};
  ssize_t size_ = 0;
};

// Calls `on_part` with the type and the bytes of each part that follows the fixed part of an
// answer.
template <class Fixed, class OnPart>
void for_parts(const nlmsghdr& message, OnPart on_part) {
  const auto* fixed = static_cast<const Fixed*>(NLMSG_DATA(&message));
  auto length = static_cast<int>(message.nlmsg_len - NLMSG_LENGTH(sizeof *fixed));
  for (const auto* part = reinterpret_cast<const rtattr*>(fixed + 1); RTA_OK(part, length);
       part = RTA_NEXT(part, length)) {
    on_part(part->rta_type, std::span(static_cast<const std::byte*>(RTA_DATA(part)),
                                      static_cast<std::size_t>(RTA_PAYLOAD(part))));
  }
}

// Older kernels know fewer fields.
void add_counts(std::span<const std::byte> bytes, TcpSocket& socket) {
  tcp_info info{};
  if (bytes.size() < offsetof(tcp_info, tcpi_bytes_retrans) + sizeof info.tcpi_bytes_retrans)
    return;
  std::memcpy(&info, bytes.data(), std::min(bytes.size(), sizeof info));
  socket.received = info.tcpi_bytes_received;
  if (info.tcpi_notsent_bytes == 0 && info.tcpi_bytes_retrans == 0) {
    socket.sent = info.tcpi_bytes_sent;
  }
}

struct Address {
  sa_family_t family = AF_UNSPEC;
  std::array<std::uint32_t, 4> words{};
  in_port_t port = 0;
  bool operator==(const Address&) const = default;
};

// A socket of IPv6 may speak IPv4; the kernel finds it as one of IPv4.
Address address_of(const sockaddr_storage& given) {
  Address address{.family = given.ss_family};
  if (given.ss_family == AF_INET) {
    sockaddr_in narrow{};
    std::memcpy(&narrow, &given, sizeof narrow);
    address.words[0] = narrow.sin_addr.s_addr;
    address.port = narrow.sin_port;
  } else if (given.ss_family == AF_INET6) {
    sockaddr_in6 wide{};
    std::memcpy(&wide, &given, sizeof wide);
    std::memcpy(address.words.data(), &wide.sin6_addr, sizeof wide.sin6_addr);
    address.port = wide.sin6_port;
    if (IN6_IS_ADDR_V4MAPPED(&wide.sin6_addr)) {
      address.family = AF_INET;
      address.words = {address.words[3]};
    }
  }
  return address;
}

}  // namespace

std::uint32_t unix_peer(std::uint32_t inode) {
  unix_diag_req request{};
  request.sdiag_family = AF_UNIX;
  request.udiag_states = ~0U;
  request.udiag_ino = inode;
  request.udiag_show = UDIAG_SHOW_PEER;
  request.udiag_cookie[0] = request.udiag_cookie[1] = ~0U;
  const Answer answer(request);
  const nlmsghdr* message = answer.message();
  if (message == nullptr) return 0;
  std::uint32_t peer = 0;
  for_parts<unix_diag_msg>(*message, [&](int type, std::span<const std::byte> bytes) {
    if (type == UNIX_DIAG_PEER)
      std::memcpy(&peer, bytes.data(), std::min(bytes.size(), sizeof peer));
  });
  return peer;
}

bool has_all_arrived(const TcpSocket& from, const TcpSocket& to) {
  return from.sent && from.sent == to.received;
}

std::optional<TcpSocket> tcp_socket(const sockaddr_storage& local, const sockaddr_storage& remote) {
  const Address here = address_of(local);
  const Address there = address_of(remote);
  if (here.family != there.family) return {};
  inet_diag_req_v2 request{};
  request.sdiag_family = static_cast<std::uint8_t>(here.family);
  request.sdiag_protocol = IPPROTO_TCP;
  request.idiag_states = ~0U;
  request.idiag_ext = 1U << (INET_DIAG_INFO - 1U);
  request.id.idiag_sport = here.port;
  request.id.idiag_dport = there.port;
  std::memcpy(request.id.idiag_src, here.words.data(), sizeof request.id.idiag_src);
  std::memcpy(request.id.idiag_dst, there.words.data(), sizeof request.id.idiag_dst);
  request.id.idiag_cookie[0] = request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  const Answer answer(request);
  const nlmsghdr* message = answer.message();
  if (message == nullptr) return {};
  const auto* found = static_cast<const inet_diag_msg*>(NLMSG_DATA(message));
  // If no connection has these addresses, the kernel answers with who listens.
  if (found->id.idiag_dport != there.port) return {};
  TcpSocket socket{.inode = found->idiag_inode,
                   .is_established = found->idiag_state == kEstablished,
                   .has_unsent = found->idiag_wqueue != 0,
                   .has_unread = found->idiag_rqueue != 0,
                   .sent = {},
                   .received = {}};
  for_parts<inet_diag_msg>(*message, [&](int type, std::span<const std::byte> bytes) {
    if (type == INET_DIAG_INFO) add_counts(bytes, socket);
  });
  return socket;
}

}  // namespace gridlock::run
