// Reads and writes whole messages, until the last byte or the deadline.
#include "scenarios/runtime/sockets.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "scenarios/runtime/rendezvous.h"

namespace gridlock {

int remaining_ms(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

bool is_readable(int socket, Clock::time_point end) {
  pollfd entry{.fd = socket, .events = POLLIN, .revents = 0};
  int ready = 0;
  do {
    ready = poll(&entry, 1, remaining_ms(end));
  } while (ready < 0 && errno == EINTR);
  return ready != 0;
}

void wait_readable(int socket, Clock::time_point end, int peer) {
  if (!is_readable(socket, end)) {
    throw RendezvousError(fmt::format(
        "rank {} said nothing before the rendezvous deadline; see what it does.", peer));
  }
}

void read_all(int socket, void* data, std::size_t size, int peer, const Clock::time_point* end) {
  auto* to = static_cast<char*>(data);
  while (size > 0) {
    if (end != nullptr) wait_readable(socket, *end, peer);
    const ssize_t got = ::read(socket, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw RendezvousError(fmt::format("rank {} has left the rendezvous{}.", peer,
                                        got < 0 ? fmt::format(": {}", std::strerror(errno)) : ""));
    }
    to += got;
    size -= static_cast<std::size_t>(got);
  }
}

void write_all(int socket, const void* data, std::size_t size, int peer) {
  const auto* from = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t put = send(socket, from, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      throw RendezvousError(
          fmt::format("rank {} has left the rendezvous: {}.", peer, std::strerror(errno)));
    }
    from += put;
    size -= static_cast<std::size_t>(put);
  }
}

void write_message(int socket, const std::string& message, int peer) {
  const auto size = static_cast<std::uint32_t>(message.size());
  std::string framed(reinterpret_cast<const char*>(&size), sizeof size);
  framed += message;
  write_all(socket, framed.data(), framed.size(), peer);
}

std::string read_message(int socket, int peer, Clock::time_point end) {
  std::uint32_t size = 0;
  read_all(socket, &size, sizeof size, peer, &end);
  std::string message(size, '\0');
  read_all(socket, message.data(), size, peer, &end);
  return message;
}

}  // namespace gridlock
