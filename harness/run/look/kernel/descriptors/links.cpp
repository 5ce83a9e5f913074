// Links are equal if two descriptors lead to the same pipe or socket. Files have several paths, so
// files are compared by their numbers.
#include "harness/run/look/kernel/descriptors/links.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "harness/base/directory.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

// A named pipe or a regular file; "" for a device and the like, which nobody needs to hold.
std::string text_of_file(const Descriptor& descriptor) {
  struct stat file {};
  if (fstatat(descriptor.folder, descriptor.number, &file, 0) != 0) return "";
  if (!S_ISFIFO(file.st_mode) && !S_ISREG(file.st_mode)) return "";
  if (S_ISREG(file.st_mode)) return regular_file(file.st_dev, file.st_ino);
  return fmt::format("{}{}:{}", kNamedPipe, file.st_dev, file.st_ino);
}

}  // namespace

std::string info_of(pid_t pid, const std::string& number) {
  return proc_text(fmt::format("/proc/{}/fdinfo/{}", pid, number));
}

Link link_of(const Descriptor& descriptor) {
  std::array<char, 256> text{};
  const ssize_t size =
      readlinkat(descriptor.folder, descriptor.number, text.data(), text.size() - 1);
  Link link{.target =
                std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)))};
  struct stat own {};
  // The direction matters for pipes alone.
  const bool may_be_pipe = link.target.starts_with("pipe:") || link.target.starts_with("/");
  if (may_be_pipe &&
      fstatat(descriptor.folder, descriptor.number, &own, AT_SYMLINK_NOFOLLOW) == 0) {
    link.reads = (own.st_mode & S_IRUSR) != 0;
    link.writes = (own.st_mode & S_IWUSR) != 0;
  }
  return link;
}

bool has_a_name(pid_t pid, int number) {
  struct stat file {};
  const std::string link = fmt::format("/proc/{}/fd/{}", pid, number);
  return stat(link.c_str(), &file) != 0 || file.st_nlink > 0;
}

std::string file_of(const Descriptor& descriptor, std::string target) {
  if (target.starts_with("pipe:") || target.starts_with("socket:")) return target;
  if (target == kTimer || target == kPolls || target == kProcess || target == kRing) return target;
  if (target.starts_with("/")) return text_of_file(descriptor);
  if (target != kEvents) return "";
  // All eventfd counters have the same link; newer kernels tell which one it is.
  const std::string info = info_of(descriptor.pid, descriptor.number);
  const std::size_t at = info.find(kCounter);
  return at == std::string::npos ? "" : info.substr(at, info.find('\n', at) - at);
}

std::string file_of(pid_t pid, const std::string& number) {
  const Directory folder = open_directory(fmt::format("/proc/{}/fd", pid));
  if (!folder) return "";
  const Descriptor descriptor{.pid = pid, .folder = dirfd(folder.get()), .number = number.c_str()};
  return file_of(descriptor, link_of(descriptor).target);
}

std::string regular_file(dev_t device, ino_t inode) {
  return fmt::format("{}{}:{}", kRegular, device, inode);
}

}  // namespace gridlock::run
