// Reads lines of /proc/locks, each of which says who took a lock or waits for it:
//     1: FLOCK  ADVISORY  WRITE 4710 00:1b:42 0 EOF
//     1: -> FLOCK  ADVISORY  WRITE 4711 00:1b:42 0 EOF
#include "harness/run/look/kernel/descriptors/file_locks.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace gridlock::run {

FileLocks locks_of(pid_t pid, int descriptor) {
  struct stat file {};
  if (stat(fmt::format("/proc/{}/fd/{}", pid, descriptor).c_str(), &file) != 0) return {};
  const std::string end = fmt::format(":{}", file.st_ino);
  FileLocks found;
  std::ifstream lines("/proc/locks");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::array<std::string, 7> word;
    for (std::string& one : word) words >> one;
    const bool is_waiter = word[1] == "->";
    if (!word[is_waiter ? 6 : 5].ends_with(end)) continue;
    const pid_t who = std::atoi(word[is_waiter ? 5 : 4].c_str());
    if (!is_waiter) found.takers.push_back(who);
    found.waits |= is_waiter && who == pid;
  }
  return found;
}

}  // namespace gridlock::run
