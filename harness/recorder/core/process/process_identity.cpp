// Reads /proc/<pid>/stat without an allocation.
#include "harness/recorder/core/process/process_identity.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace gridlock::recorder {

std::uint64_t start_time(pid_t pid) {
  char text[1024];
  std::snprintf(text, sizeof text, "/proc/%d/stat", static_cast<int>(pid));
  const int file = open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = ::read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0) return 0;
  text[size] = '\0';
  // The name in parentheses may contain anything, so fields are counted from its end.
  const char* field = std::strrchr(text, ')');
  if (field == nullptr || field[1] == '\0' || field[2] == 'Z' || field[2] == 'X') return 0;
  constexpr int kStartTime = 22;
  for (int number = 2; number < kStartTime && field != nullptr; ++number) {
    field = std::strchr(field + 1, ' ');
  }
  return field == nullptr ? 0 : std::strtoull(field, nullptr, 10);
}

}  // namespace gridlock::recorder
