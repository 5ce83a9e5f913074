// Reads /proc, because there is no other way to look at a process that is not a child.
#include "sim/nccl/members/process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

namespace sim::nccl {
namespace {

struct State {
  char code = 0;  // as in /proc/<pid>/stat; 0: no such process
  std::uint64_t threads = 0;
  std::uint64_t start = 0;
};

State state_of(std::int64_t pid) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/stat", static_cast<long long>(pid));
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  std::array<char, 1024> text{};
  const ssize_t length = read(file, text.data(), text.size() - 1);
  ::close(file);
  if (length <= 0) return {};
  // The name, in parentheses, may hold anything; the state is field 3, the number of
  // threads field 20, the start time field 22.
  const char* field = std::strrchr(text.data(), ')');
  if (field == nullptr || field[1] == '\0') return {};
  State state{.code = field[2]};
  ++field;
  for (int number = 2; number < 21 && field != nullptr; ++number) {
    if (number == 19) state.threads = std::strtoull(field + 1, nullptr, 10);
    field = std::strchr(field + 1, ' ');
  }
  if (field != nullptr) state.start = std::strtoull(field + 1, nullptr, 10);
  return state;
}

}  // namespace

Process this_process() {
  const std::int64_t pid = getpid();
  return {pid, state_of(pid).start};
}

bool alive(const Process& process) {
  const State state = state_of(process.pid);
  // A process of which only the first thread has ended shows as a zombie, too.
  const bool has_ended = state.code == 'Z' && state.threads <= 1;
  return state.code != 0 && !has_ended && state.code != 'X' && state.start == process.start;
}

std::uint64_t this_machine() {
  std::array<char, 64> boot{};
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  const ssize_t length = file < 0 ? 0 : read(file, boot.data(), boot.size());
  if (file >= 0) ::close(file);
  std::string identity(boot.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  struct stat space {};
  if (stat("/proc/self/ns/pid", &space) == 0) identity += std::to_string(space.st_ino);
  return std::hash<std::string>{}(identity);
}

int open_of(std::int64_t pid, int descriptor, bool writable) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/fd/%d", static_cast<long long>(pid),
                descriptor);
  return open(path.data(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
}

}  // namespace sim::nccl
