// "0.20 0.18 0.12 1/80 11206": the last number is the newest.
#include "harness/processes/newest.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>
#include <thread>

#include "harness/base/file_descriptor.h"

namespace gridlock::processes {
namespace {

std::optional<pid_t> last_number() {
  const FileDescriptor file(open("/proc/loadavg", O_RDONLY | O_CLOEXEC));
  struct statfs system {};
  if (!file.is_open() || fstatfs(file.get(), &system) != 0 || system.f_type != PROC_SUPER_MAGIC) {
    return {};
  }
  std::array<char, 128> text{};
  const ssize_t size = read(file.get(), text.data(), text.size());
  if (size <= 0) return {};
  std::string_view line(text.data(), static_cast<std::size_t>(size));
  if (line.ends_with('\n')) line.remove_suffix(1);
  line.remove_prefix(line.rfind(' ') + 1);
  pid_t number = 0;
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), number);
  if (parsed.ec != std::errc{} || number == 0) return {};
  return number;
}

bool grows_at_once() {
  const std::optional<pid_t> before = last_number();
  std::thread([] {}).join();
  return before && before != last_number();
}

}  // namespace

std::optional<pid_t> newest() {
  static const bool tells = grows_at_once();
  return tells ? last_number() : std::nullopt;
}

}  // namespace gridlock::processes
