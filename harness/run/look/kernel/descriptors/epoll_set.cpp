// Reads lines such as
//     tfd:        5 events:       19 data:                5  pos:0 ino:6a sdev:10
#include "harness/run/look/kernel/descriptors/epoll_set.h"

#include <fmt/format.h>
#include <linux/kcmp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <unordered_map>

namespace gridlock::run {

namespace {

// The number, in base 16, behind `name`; `otherwise` if that is not there.
std::uint64_t number_after(const std::string& line, std::string_view name,
                           std::uint64_t otherwise) {
  const std::size_t at = line.find(name);
  if (at == std::string::npos) return otherwise;
  return std::strtoull(line.c_str() + at + name.size(), nullptr, 16);
}

}  // namespace

std::vector<Watched> watched_by(const std::string& info) {
  constexpr std::string_view kNumber = "tfd:";
  std::vector<Watched> all;
  std::unordered_map<int, std::uint32_t> seen;
  std::istringstream lines(info);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kNumber)) continue;
    Watched watched;
    watched.number = std::atoi(line.c_str() + kNumber.size());
    watched.which = seen[watched.number]++;
    watched.inode = number_after(line, "ino:", 0);
    watched.events = static_cast<std::uint32_t>(number_after(line, "events:", ~0U));
    all.push_back(watched);
  }
  return all;
}

bool is_still_there(pid_t pid, int set, const Watched& watched) {
  const kcmp_epoll_slot slot{.efd = static_cast<std::uint32_t>(set),
                             .tfd = static_cast<std::uint32_t>(watched.number),
                             .toff = watched.which};
  const long order = syscall(SYS_kcmp, pid, pid, KCMP_EPOLL_TFD, watched.number, &slot);
  if (order >= 0) return order == 0;
  if (errno == EBADF || errno == ENOENT) return false;
  // The call is refused. Then inodes tell, but all anonymous files, which have no type, share one.
  struct stat file {};
  return stat(fmt::format("/proc/{}/fd/{}", pid, watched.number).c_str(), &file) == 0 &&
         (file.st_mode & S_IFMT) != 0 && file.st_ino == watched.inode;
}

bool may_be_same_file(pid_t pid, int number, pid_t other, int other_number) {
  return syscall(SYS_kcmp, pid, other, KCMP_FILE, number, other_number) <= 0;
}

}  // namespace gridlock::run
