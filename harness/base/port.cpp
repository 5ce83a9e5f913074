// Tries ports by binding to them. It starts at a random one, because several agents may search at
// the same time.
#include "harness/base/port.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <random>

#include "harness/base/error.h"
#include "harness/base/file_descriptor.h"

namespace gridlock {
namespace {

constexpr int kFirstPort = 20000;
constexpr int kPorts = 12000;  // the ephemeral range begins at 32768 on Linux

bool can_bind(int port) {
  const FileDescriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  return bind(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::vector<int> free_ports(int count) {
  std::random_device random;
  const int start = std::uniform_int_distribution(0, kPorts - 1)(random);
  std::vector<int> ports;
  for (int i = 0; i < kPorts; ++i) {
    if (static_cast<int>(ports.size()) == count) return ports;
    const int port = kFirstPort + (start + i) % kPorts;
    if (can_bind(port)) ports.push_back(port);
  }
  throw MachineError("too few free TCP ports between 20000 and 32000 for the ranks");
}

}  // namespace gridlock
