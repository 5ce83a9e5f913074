// Listens, connects, and checks the secret.
#include "harness/agents/connect.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <fstream>

#include "harness/agents/wire.h"
#include "harness/base/error.h"

namespace gridlock::agents {
namespace {

using Clock = std::chrono::steady_clock;

// All agents start together, so they come soon, unless a machine is crowded.
constexpr std::chrono::seconds kMeetingLimit(30);
// A peer that does not answer by then is not an agent of ours.
constexpr std::chrono::milliseconds kAnswerLimit(1000);

template <typename Archive, typename Value>
void visit_invitation(Archive& archive, Value& value) {
  archive(value.addresses, value.port, value.secret);
}

template <typename Archive, typename Value>
void visit_greeting(Archive& archive, Value& value) {
  archive(value.secret, value.index, value.host, value.machine, value.version);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

std::string text_of(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  if (getnameinfo(address, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) {
    return {};
  }
  const std::string_view view(text.data());
  // Prefix of an IPv4 address on a socket that takes both.
  constexpr std::string_view kMapped = "::ffff:";
  return std::string(view.starts_with(kMapped) ? view.substr(kMapped.size()) : view);
}

// The addresses of all interfaces that are up, except link-local ones. The loopback's is last.
std::vector<std::string> own_addresses() {
  std::vector<std::string> addresses;
  std::vector<std::string> last;
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return {"127.0.0.1"};
  for (const ifaddrs* each = found; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    const int family = each->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    const std::string text = text_of(each->ifa_addr, size);
    if (text.empty() || text.find('%') != std::string::npos) continue;
    const bool is_loopback = (each->ifa_flags & IFF_LOOPBACK) != 0;
    // IPv4 first, because every rendezvous of ranks understands it.
    auto& into = is_loopback || family == AF_INET6 ? last : addresses;
    into.push_back(text);
  }
  freeifaddrs(found);
  addresses.insert(addresses.end(), last.begin(), last.end());
  return addresses;
}

FileDescriptor listen_anywhere(std::uint16_t& port) {
  for (const int family : {AF_INET6, AF_INET}) {
    FileDescriptor made(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int off = 0;
    if (family == AF_INET6) setsockopt(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    sockaddr_storage address{};
    address.ss_family = static_cast<sa_family_t>(family);
    socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (!made.is_open() || bind(made.get(), any, size) != 0 || listen(made.get(), SOMAXCONN) != 0 ||
        getsockname(made.get(), any, &size) != 0) {
      continue;
    }
    // The port is at the same offset in both address types.
    port = ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
    return made;
  }
  throw machine_error("agent 0 cannot listen on any TCP port", errno);
}

FileDescriptor connected(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return {};
  FileDescriptor made(
      socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, found->ai_protocol));
  int error = ::connect(made.get(), found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
  freeaddrinfo(found);
  if (error == EINPROGRESS) {
    pollfd entry{.fd = made.get(), .events = POLLOUT, .revents = 0};
    socklen_t size = sizeof error;
    if (poll(&entry, 1, static_cast<int>(kAnswerLimit.count())) <= 0 ||
        getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
      return {};
    }
  }
  return error == 0 ? std::move(made) : FileDescriptor();
}

// A message that comes in time.
std::optional<std::string> message_from(Channel& channel, Clock::time_point end) {
  while (Clock::now() < end) {
    if (auto message = channel.receive()) return message;
    if (!channel.lost().empty()) return {};
    pollfd entry{.fd = channel.descriptor(), .events = POLLIN, .revents = 0};
    poll(&entry, 1, milliseconds_until(end));
  }
  return {};
}

constexpr std::string_view kWelcome = "welcome";

}  // namespace

std::string to_bytes(const Invitation& invitation) {
  Writer writer;
  visit_invitation(writer, invitation);
  return writer.take();
}

Invitation invitation_from(std::string_view bytes) {
  Reader reader(bytes);
  Invitation invitation;
  visit_invitation(reader, invitation);
  reader.end();
  return invitation;
}

Listener::Listener() {
  socket_ = listen_anywhere(invitation_.port);
  invitation_.addresses = own_addresses();
  invitation_.secret.resize(2);
  const auto size = invitation_.secret.size() * sizeof invitation_.secret.front();
  if (getrandom(invitation_.secret.data(), size, 0) != static_cast<ssize_t>(size)) {
    throw machine_error("cannot get random numbers", errno);
  }
}

Listener::Guest Listener::accept() {
  const Clock::time_point end = Clock::now() + kMeetingLimit;
  while (Clock::now() < end) {
    pollfd entry{.fd = socket_.get(), .events = POLLIN, .revents = 0};
    if (poll(&entry, 1, milliseconds_until(end)) <= 0) continue;
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    FileDescriptor socket(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket.is_open()) continue;
    getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
    Guest guest{.greeting = {},
                .channel = std::make_unique<Channel>(std::move(socket)),
                .address = text_of(reinterpret_cast<sockaddr*>(&address), size)};
    // Other programs may connect too. What they send is not a greeting.
    const auto message = message_from(*guest.channel, Clock::now() + kAnswerLimit);
    if (!message) continue;
    try {
      Reader reader(*message);
      visit_greeting(reader, guest.greeting);
      reader.end();
    } catch (const WireError&) {
      continue;
    }
    if (guest.greeting.secret != invitation_.secret) continue;
    guest.channel->send(kWelcome);
    return guest;
  }
  throw MachineError(fmt::format(
      "not all agents reached agent 0 within {} s; open a way to it, at {}, port {}, between the "
      "hosts",
      kMeetingLimit.count(), fmt::join(invitation_.addresses, ", "), invitation_.port));
}

std::unique_ptr<Channel> connect(const Invitation& invitation, const Greeting& greeting) {
  Writer writer;
  visit_greeting(writer, greeting);
  const Clock::time_point end = Clock::now() + kMeetingLimit;
  while (Clock::now() < end) {
    for (const std::string& address : invitation.addresses) {
      FileDescriptor socket = connected(address, invitation.port);
      if (!socket.is_open()) continue;
      auto channel = std::make_unique<Channel>(std::move(socket));
      channel->send(writer.bytes());
      // The wrong machine may answer: another network can use the same address.
      const auto answer = message_from(*channel, Clock::now() + 2 * kAnswerLimit);
      if (answer == kWelcome) return channel;
    }
    poll(nullptr, 0, 50);
  }
  throw MachineError(fmt::format(
      "agent {} on {} cannot reach agent 0 at {}, port {}; open a way between the "
      "hosts",
      greeting.index, greeting.host, fmt::join(invitation.addresses, ", "), invitation.port));
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string machine_name() {
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return host_name() + " " + boot;
}

}  // namespace gridlock::agents
