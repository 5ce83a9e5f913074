// Connects the ranks in a star around rank 0, and exchanges messages over it.
#include "scenarios/runtime/rendezvous.h"

#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <memory>
#include <utility>

#include "scenarios/runtime/sockets.h"

namespace gridlock {
namespace {

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

AddressList resolve(const Environment& environment) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(environment.master_addr.c_str(),
                                std::to_string(environment.master_port).c_str(), &hints, &found);
  if (error != 0) {
    throw RendezvousError(fmt::format("MASTER_ADDR is \"{}\", which is not an address: {}.",
                                      environment.master_addr, gai_strerror(error)));
  }
  return {found, freeaddrinfo};
}

// A rank's first message.
struct Greeting {
  std::int32_t rank = -1;
  std::int32_t world_size = 0;
};

void send_at_once(int socket) {
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int listen_on(const Environment& environment) {
  const AddressList address = resolve(environment);
  const int listener = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, address->ai_protocol);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (listener < 0 || bind(listener, address->ai_addr, address->ai_addrlen) != 0 ||
      listen(listener, environment.world_size) != 0) {
    const int error = errno;
    if (listener >= 0) ::close(listener);
    const std::string sentence = fmt::format(
        "rank 0 cannot listen on MASTER_ADDR:MASTER_PORT {}:{}: {}. Choose another MASTER_PORT.",
        environment.master_addr, environment.master_port, std::strerror(error));
    if (error == EADDRINUSE) throw PortTaken(sentence);
    throw RendezvousError(sentence);
  }
  return listener;
}

// Rank 0's side: one socket per rank.
std::vector<int> accept_all(const Environment& environment, Clock::time_point end) {
  const int listener = listen_on(environment);
  std::vector<int> sockets(static_cast<std::size_t>(environment.world_size), -1);
  for (int missing = environment.world_size - 1; missing > 0; --missing) {
    pollfd entry{.fd = listener, .events = POLLIN, .revents = 0};
    const int ready = poll(&entry, 1, remaining_ms(end));
    if (ready < 0 && errno == EINTR) {
      ++missing;
      continue;
    }
    const int peer = ready > 0 ? accept4(listener, nullptr, nullptr, SOCK_CLOEXEC) : -1;
    if (peer < 0) {
      ::close(listener);
      throw RendezvousError(fmt::format(
          "{} of {} ranks did not come to the rendezvous at {}:{} in time. Was every rank started, "
          "and with the same WORLD_SIZE?",
          missing, environment.world_size, environment.master_addr, environment.master_port));
    }
    send_at_once(peer);
    Greeting greeting;
    read_all(peer, &greeting, sizeof greeting, -1, &end);
    const std::int32_t rank = greeting.rank;
    if (greeting.world_size != environment.world_size) {
      throw RendezvousError(fmt::format(
          "rank {} has WORLD_SIZE {} and rank 0 has {}: give all ranks the same WORLD_SIZE.", rank,
          greeting.world_size, environment.world_size));
    }
    if (rank <= 0 || rank >= environment.world_size ||
        sockets[static_cast<std::size_t>(rank)] >= 0) {
      throw RendezvousError(
          fmt::format("two processes came to the rendezvous with RANK {}, or it is out of range: "
                      "every rank needs its own RANK.",
                      rank));
    }
    sockets[static_cast<std::size_t>(rank)] = peer;
  }
  ::close(listener);
  return sockets;
}

// The other ranks' side. Rank 0 may start later, so a refused connection is tried again.
int connect_to_rank_zero(const Environment& environment, Clock::time_point end) {
  const AddressList address = resolve(environment);
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 500'000};
  for (;;) {
    const int peer = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, address->ai_protocol);
    if (peer >= 0 && connect(peer, address->ai_addr, address->ai_addrlen) == 0) {
      send_at_once(peer);
      const Greeting greeting{environment.rank, environment.world_size};
      write_all(peer, &greeting, sizeof greeting, 0);
      return peer;
    }
    const int error = errno;
    if (peer >= 0) ::close(peer);
    if (Clock::now() >= end) {
      throw RendezvousError(fmt::format(
          "rank {} found no rank 0 at MASTER_ADDR:MASTER_PORT {}:{} in time: {}.", environment.rank,
          environment.master_addr, environment.master_port, std::strerror(error)));
    }
    nanosleep(&kPause, nullptr);
  }
}

}  // namespace

Rendezvous::Rendezvous(const Environment& environment, std::chrono::milliseconds deadline)
    : rank_(environment.rank), world_size_(environment.world_size), deadline_(deadline) {
  const Clock::time_point end = Clock::now() + deadline;
  if (world_size_ == 1) return;
  if (rank_ == 0) {
    sockets_ = accept_all(environment, end);
  } else {
    sockets_ = {connect_to_rank_zero(environment, end)};
  }
}

Rendezvous::~Rendezvous() {
  for (const int socket : sockets_) {
    if (socket >= 0) ::close(socket);
  }
}

int Rendezvous::socket_to(int rank) const {
  if (rank_ == 0 && rank > 0 && rank < world_size_) return sockets_[static_cast<std::size_t>(rank)];
  if (rank_ != 0 && rank == 0) return sockets_[0];
  throw std::logic_error(
      fmt::format("rank {} has no socket to rank {}: all go through rank 0.", rank_, rank));
}

std::vector<std::string> Rendezvous::exchange(const std::string& mine) {
  const Clock::time_point end = Clock::now() + deadline_;
  std::vector<std::string> all(static_cast<std::size_t>(world_size_));
  if (rank_ == 0) {
    all[0] = mine;
    for (int peer = 1; peer < world_size_; ++peer) {
      all[static_cast<std::size_t>(peer)] = read_message(socket_to(peer), peer, end);
    }
    std::string together;
    for (const std::string& message : all) {
      const auto size = static_cast<std::uint32_t>(message.size());
      together.append(reinterpret_cast<const char*>(&size), sizeof size);
      together += message;
    }
    for (int peer = 1; peer < world_size_; ++peer) write_message(socket_to(peer), together, peer);
    return all;
  }
  write_message(socket_to(0), mine, 0);
  const std::string together = read_message(socket_to(0), 0, end);
  std::size_t at = 0;
  for (std::string& message : all) {
    std::uint32_t size = 0;
    if (together.size() - at < sizeof size) throw RendezvousError("rank 0 sent half a message.");
    std::memcpy(&size, together.data() + at, sizeof size);
    at += sizeof size;
    message = together.substr(at, size);
    at += size;
  }
  return all;
}

std::vector<int> Rendezvous::exchange(int mine) {
  std::vector<int> all;
  for (const std::string& text : exchange(std::to_string(mine))) all.push_back(std::stoi(text));
  return all;
}

std::vector<int> Rendezvous::survivors() { return survivors_within(deadline_); }

std::vector<int> Rendezvous::survivors_within(std::chrono::milliseconds patience) {
  const Clock::time_point end = Clock::now() + patience;
  std::string living(static_cast<std::size_t>(world_size_), '1');
  if (rank_ != 0) {
    write_message(socket_to(0), "", 0);
    // Rank 0 may have begun later, and waits as long for those who say nothing.
    living = read_message(socket_to(0), 0, end + patience);
  } else {
    tell_of_loss();  // whoever waits for what the lost rank does not send may not know
    for (int peer = 1; peer < world_size_; ++peer) {
      char byte = 0;
      const bool says = is_readable(socket_to(peer), end);
      if (says && recv(socket_to(peer), &byte, 1, MSG_PEEK) > 0) {
        read_message(socket_to(peer), peer, end);
      } else {
        living[static_cast<std::size_t>(peer)] = '0';
      }
    }
    for (int peer = 1; peer < world_size_; ++peer) {
      if (living[static_cast<std::size_t>(peer)] == '1') {
        write_message(socket_to(peer), living, peer);
      }
    }
  }
  std::vector<int> ranks;
  for (int rank = 0; rank < world_size_; ++rank) {
    if (living.at(static_cast<std::size_t>(rank)) == '1') ranks.push_back(rank);
  }
  return ranks;
}

std::string Rendezvous::from_rank_0(const std::vector<int>& among, const std::string& message) {
  if (rank_ != 0) return read_message(socket_to(0), 0, Clock::now() + deadline_);
  for (const int peer : among) {
    if (peer != 0) write_message(socket_to(peer), message, peer);
  }
  return message;
}

void Rendezvous::signal(int to) {
  const char byte = '!';
  write_all(socket_to(to), &byte, 1, to);
}

void Rendezvous::await_signal(int from) {
  char byte = 0;
  read_all(socket_to(from), &byte, 1, from, nullptr);
}

// Rank 0 tells by a byte of urgent data, which lies outside the stream of messages.
bool Rendezvous::anyone_has_left() {
  const bool left = std::any_of(sockets_.begin(), sockets_.end(), [](int socket) {
    pollfd entry{.fd = socket, .events = POLLRDHUP | POLLPRI, .revents = 0};
    return socket >= 0 && poll(&entry, 1, 0) > 0;
  });
  if (left) tell_of_loss();
  return left;
}

// Only rank 0 has a socket to every rank.
void Rendezvous::tell_of_loss() {
  if (rank_ != 0 || told_) return;
  for (const int socket : sockets_) {
    if (socket >= 0) send(socket, "!", 1, MSG_OOB | MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  told_ = true;
}

void Rendezvous::await_end(int peer) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(socket_to(peer), &byte, 1);
  } while (got > 0 || (got < 0 && errno == EINTR));
}

}  // namespace gridlock
