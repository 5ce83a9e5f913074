// Frames on a TCP socket. A byte 0 is a beat. A message is a byte 1, then the length in four
// little-endian bytes, then the content.
#include "harness/agents/channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace gridlock::agents {
namespace {

constexpr char kBeatByte = 0;
constexpr char kMessageByte = 1;
constexpr std::size_t kHead = 5;

// Waits in steps of one beat, to notice silence meanwhile.
void wait_for(int socket, short events) {
  pollfd entry{.fd = socket, .events = events, .revents = 0};
  poll(&entry, 1, static_cast<int>(std::chrono::milliseconds(kBeat / 1ms * 1ms).count()));
}

}  // namespace

Channel::Channel(FileDescriptor socket) : socket_(std::move(socket)) {
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
}

void Channel::lose(std::string why) {
  if (lost_.empty()) lost_ = std::move(why);
}

bool Channel::is_silent() const { return missed_ >= kMostMissed; }

void Channel::send(std::string_view message) {
  std::string frame(1, kMessageByte);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    frame += static_cast<char>(message.size() >> shift & 0xffU);
  }
  frame += message;
  const std::lock_guard lock(sending_);
  std::string_view rest = frame;
  // A side that takes nothing for this long counts as lost, like a silent one.
  for (int tries = 0; !rest.empty() && lost_.empty();) {
    const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      tries = 0;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (++tries > kMostMissed) return lose("it takes no message");
      wait_for(socket_.get(), POLLOUT);
    } else if (errno != EINTR) {
      return lose(fmt::format("its connection broke ({})", std::strerror(errno)));
    }
  }
}

void Channel::beat() {
  ++missed_;
  const std::unique_lock lock(sending_, std::try_to_lock);
  // While we send a message, the other side hears from us anyway.
  if (lock.owns_lock()) ::send(socket_.get(), &kBeatByte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Channel::read_all() {
  std::array<char, 65536> bytes;
  while (lost_.empty()) {
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got > 0) {
      missed_ = 0;
      received_.append(bytes.data(), static_cast<std::size_t>(got));
      if (static_cast<std::size_t>(got) < bytes.size()) return;
    } else if (got == 0) {
      lose("its connection was closed");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (is_silent()) {
        lose(fmt::format("it was silent for {:.1f} s",
                         std::chrono::duration<double>(kSilenceBound).count()));
      }
      return;
    } else if (errno != EINTR) {
      lose(fmt::format("its connection broke ({})", std::strerror(errno)));
    }
  }
}

std::optional<std::string> Channel::receive() {
  read_all();
  while (begun_ < received_.size() && received_[begun_] == kBeatByte) ++begun_;
  if (begun_ == received_.size()) {
    received_.clear();
    begun_ = 0;
    return {};
  }
  if (received_[begun_] != kMessageByte) {
    lose("it sent what no agent sends");
    return {};
  }
  if (received_.size() - begun_ < kHead) return {};
  std::size_t size = 0;
  for (std::size_t i = 0; i < kHead - 1; ++i) {
    size |= std::size_t{static_cast<std::uint8_t>(received_[begun_ + 1 + i])} << 8 * i;
  }
  if (size > kMessageBound) {
    lose("it sent what no agent sends");
    return {};
  }
  if (received_.size() - begun_ < kHead + size) return {};
  std::string message = received_.substr(begun_ + kHead, size);
  begun_ += kHead + size;
  if (begun_ == received_.size()) {
    received_.clear();
    begun_ = 0;
  }
  return message;
}

std::optional<std::string> Channel::wait() {
  while (true) {
    if (auto message = receive()) return message;
    if (!lost_.empty()) return {};
    wait_for(socket_.get(), POLLIN);
  }
}

void Channel::give_up(const std::string& why) {
  lose(why);
  received_.clear();
  begun_ = 0;
}

void Channel::check() {
  if (lost_.empty()) read_all();
}

}  // namespace gridlock::agents
