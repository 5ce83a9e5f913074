// Reads lines such as "flags:\t0120002" in /proc/<pid>/fdinfo.
#include "harness/run/look/kernel/descriptors/signalling_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/base/directory.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

bool has_signalling_file(std::int64_t pid) {
  constexpr std::string_view kFlags = "flags:";
  constexpr int kOctal = 8;
  const std::string folder = fmt::format("/proc/{}/fdinfo", thread_that_shows(pid));
  const Directory files = open_directory(folder);
  if (!files) return true;
  while (const dirent* found = readdir(files.get())) {
    if (found->d_name[0] == '.') continue;
    const std::string info = proc_text(folder + "/" + found->d_name);
    const std::size_t at = info.find(kFlags);
    if (at == std::string::npos) continue;
    const unsigned long flags = std::strtoul(info.c_str() + at + kFlags.size(), nullptr, kOctal);
    if ((flags & O_ASYNC) != 0) return true;
  }
  return false;
}

}  // namespace gridlock::run
