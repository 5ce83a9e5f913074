// Up and down is a flag of the interface. For loss and bandwidth, the kernel's own tools are run.
#include "scenarios/runtime/link.h"

#include <fmt/core.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "scenarios/runtime/rank.h"

namespace gridlock {
namespace {

void command(const std::string& line) {
  if (std::system((line + " >/dev/null 2>&1").c_str()) == 0) return;
  throw CannotRunHere(fmt::format("needs a kernel and tools that can do \"{}\"", line));
}

}  // namespace

Link::Link() {
  const char* name = std::getenv("GRIDLOCK_SIM_LINK");
  if (name == nullptr || *name == '\0') {
    throw CannotRunHere("needs a simulated host, whose link may be broken (GRIDLOCK_SIM_LINK)");
  }
  name_ = name;
}

void Link::set(bool is_up) const {
  ifreq request{};
  name_.copy(request.ifr_name, IFNAMSIZ - 1);
  const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  bool done = any >= 0 && ioctl(any, SIOCGIFFLAGS, &request) == 0;
  const int flags = request.ifr_flags;
  request.ifr_flags = static_cast<short>(is_up ? flags | IFF_UP : flags & ~IFF_UP);
  done = done && ioctl(any, SIOCSIFFLAGS, &request) == 0;
  const int error = errno;
  if (any >= 0) ::close(any);
  if (!done) {
    throw std::runtime_error(
        fmt::format("cannot set {} {}: {}", name_, is_up ? "up" : "down", std::strerror(error)));
  }
}

void Link::lose(int percent) const {
  command(fmt::format("iptables -A INPUT -i {} -m statistic --mode random --probability {} -j DROP",
                      name_, percent / 100.0));
}

void Link::limit_to(int kilobits_per_second) const {
  command(fmt::format("tc qdisc replace dev {} root tbf rate {}kbit burst 4kb latency 400ms", name_,
                      kilobits_per_second));
}

}  // namespace gridlock
