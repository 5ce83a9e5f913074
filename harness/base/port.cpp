// Tries ports by binding to them. Several agents may search at the same time, and a rank takes its
// port much later. So each starts at a random one, and reserves what it finds: with a local socket
// named after the port, which is in no rank's way and goes with the process.
#include "harness/base/port.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <random>
#include <string>

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

// Empty if another process has reserved the port.
FileDescriptor reserve(int port) {
  FileDescriptor name(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const std::string text = "gridlock port " + std::to_string(port);
  sockaddr_un address{};  // no file: the name begins with a zero
  address.sun_family = AF_UNIX;
  std::copy(text.begin(), text.end(), std::begin(address.sun_path) + 1);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (bind(name.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return {};
  return name;
}

// Of the last searches. A search is for one run, and few runs of a process overlap.
void keep(std::vector<FileDescriptor> reserved) {
  constexpr std::size_t kSearches = 8;
  static std::mutex mutex;
  static std::deque<std::vector<FileDescriptor>> kept;
  const std::scoped_lock lock(mutex);
  kept.push_back(std::move(reserved));
  if (kept.size() > kSearches) kept.pop_front();
}

}  // namespace

std::vector<int> free_ports(int count) {
  std::random_device random;
  const int start = std::uniform_int_distribution(0, kPorts - 1)(random);
  std::vector<int> ports;
  std::vector<FileDescriptor> reserved;
  for (int i = 0; i < kPorts && static_cast<int>(ports.size()) < count; ++i) {
    const int port = kFirstPort + (start + i) % kPorts;
    FileDescriptor name = reserve(port);
    if (!name.is_open() || !can_bind(port)) continue;
    ports.push_back(port);
    reserved.push_back(std::move(name));
  }
  if (static_cast<int>(ports.size()) == count) {
    keep(std::move(reserved));
    return ports;
  }
  throw MachineError("too few free TCP ports between 20000 and 32000 for the ranks");
}

}  // namespace gridlock
