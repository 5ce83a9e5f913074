// A round trip over the field. `echo answer` sends back what comes. `echo ask HOST` sends a byte a
// few times and prints the shortest round trip in ms. Exit 1 if no answer comes within a second.
#include <fmt/core.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPort = "7177";
constexpr int kLimitMs = 1000;
constexpr int kRounds = 10;

using Address = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Address address_of(const char* host, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  if (getaddrinfo(host, kPort, &hints, &found) != 0) std::exit(2);
  return {found, freeaddrinfo};
}

int answer() {
  const Address here = address_of(nullptr, AI_PASSIVE);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, here->ai_addr, here->ai_addrlen) != 0 || listen(listener, 1) != 0) return 2;
  fmt::print("ready\n");
  std::fflush(stdout);
  const int peer = accept(listener, nullptr, nullptr);
  setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  char byte = 0;
  while (read(peer, &byte, 1) == 1 && write(peer, &byte, 1) == 1) {
  }
  return 0;
}

bool is_ready(int peer, short event) {
  pollfd waiting{.fd = peer, .events = event, .revents = 0};
  return poll(&waiting, 1, kLimitMs) == 1;
}

int ask(const char* host) {
  const Address there = address_of(host, 0);
  const int peer = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  const int yes = 1;
  setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  static_cast<void>(connect(peer, there->ai_addr, there->ai_addrlen));  // goes on in the background
  int error = 0;
  socklen_t size = sizeof error;
  if (!is_ready(peer, POLLOUT) || getsockopt(peer, SOL_SOCKET, SO_ERROR, &error, &size) != 0 ||
      error != 0) {
    return 1;
  }
  Clock::duration best = Clock::duration::max();
  for (int i = 0; i < kRounds; ++i) {
    const Clock::time_point begin = Clock::now();
    char byte = 'a';
    if (write(peer, &byte, 1) != 1 || !is_ready(peer, POLLIN) || read(peer, &byte, 1) != 1)
      return 1;
    best = std::min(best, Clock::now() - begin);
  }
  fmt::print("{}\n", std::chrono::duration<double, std::milli>(best).count());
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view role = count > 1 ? arguments[1] : "";
  if (role == "answer") return answer();
  if (role == "ask" && count > 2) return ask(arguments[2]);
  return 2;
}
