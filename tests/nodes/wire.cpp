// A queue in the order of arrival is also in the order of departure, because all packets have the
// same delay.
#include "tests/nodes/wire.h"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <deque>

namespace gridlock::nodes {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostBytes = 65536;
constexpr std::size_t kLastByteOfTarget = 19;  // of an IPv4 header

struct Packet {
  Clock::time_point due;
  std::size_t from;
  std::vector<std::uint8_t> bytes;
};

timespec until(Clock::time_point due) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(due - Clock::now());
  constexpr long kSecond = 1'000'000'000;
  const long ns = left.count() < 0 ? 0 : left.count();
  return {.tv_sec = ns / kSecond, .tv_nsec = ns % kSecond};
}

}  // namespace

int open_tun() {
  const int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (device < 0) return -1;
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "eth0", IFNAMSIZ - 1);
  if (ioctl(device, TUNSETIFF, &request) == 0) return device;
  const int error = errno;
  close(device);
  errno = error;
  return -1;
}

Wire::Wire(std::vector<int> ends, std::chrono::microseconds delay)
    : ends_(std::move(ends)),
      delay_(delay),
      wake_(eventfd(0, EFD_CLOEXEC)),
      thread_([this](const std::stop_token& stop) { carry(stop); }) {}

Wire::~Wire() {
  thread_.request_stop();
  eventfd_write(wake_, 1);
  thread_.join();
  for (const int end : ends_) close(end);
  close(wake_);
}

void Wire::carry(const std::stop_token& stop) {
  prctl(PR_SET_TIMERSLACK, 1UL);
  std::vector<pollfd> waiting;
  waiting.reserve(ends_.size() + 1);
  for (const int end : ends_) waiting.push_back({.fd = end, .events = POLLIN, .revents = 0});
  waiting.push_back({.fd = wake_, .events = POLLIN, .revents = 0});
  std::deque<Packet> held;
  std::vector<std::uint8_t> buffer(kMostBytes);
  while (!stop.stop_requested()) {
    const timespec limit = held.empty() ? timespec{} : until(held.front().due);
    ppoll(waiting.data(), waiting.size(), held.empty() ? nullptr : &limit, nullptr);
    for (std::size_t host = 0; host < ends_.size(); ++host) {
      ssize_t size = 0;
      while ((size = read(ends_[host], buffer.data(), buffer.size())) > 0) {
        held.push_back({Clock::now() + delay_, host, {buffer.begin(), buffer.begin() + size}});
      }
    }
    for (; !held.empty() && held.front().due <= Clock::now(); held.pop_front()) {
      const Packet& packet = held.front();
      if (packet.bytes.size() <= kLastByteOfTarget || packet.bytes[0] >> 4 != 4) continue;
      const std::size_t to = packet.bytes[kLastByteOfTarget] - std::size_t{1};
      if (to >= ends_.size() || (cut_.load() & (1U << to | 1U << packet.from)) != 0) continue;
      // A full device drops it, as a wire does.
      [[maybe_unused]] const ssize_t put =
          write(ends_[to], packet.bytes.data(), packet.bytes.size());
    }
  }
}

}  // namespace gridlock::nodes
