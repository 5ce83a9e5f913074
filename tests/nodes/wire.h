// Wires with delay, for kernels without netem: a thread holds back every packet between two hosts
// for a while. IPv4 over TUN devices, one device per host.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace gridlock::nodes {

class Wire {
 public:
  // `ends[i]`: the TUN device of the host whose address ends in .<i + 1>; closed by the wire.
  Wire(std::vector<int> ends, std::chrono::microseconds delay);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire();

  // From now on nothing gets to or from `host`. Neither side is told.
  void cut(int host) { cut_.fetch_or(1U << host); }
  void mend(int host) { cut_.fetch_and(~(1U << host)); }

 private:
  void carry(const std::stop_token& stop);

  std::vector<int> ends_;
  std::chrono::microseconds delay_;
  std::atomic<std::uint32_t> cut_{0};
  int wake_;  // an eventfd that makes the thread look at `stop`
  std::jthread thread_;
};

// Opens the TUN device "eth0" in the calling thread's network namespace.
//   Returns  a non-blocking descriptor, or -1 with errno
int open_tun();

}  // namespace gridlock::nodes
