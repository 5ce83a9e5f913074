// Writes new content beside the file, then renames it into place.
#include "harness/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/write_target.h"

namespace gridlock {
namespace {

namespace fs = std::filesystem;

std::string reason(int error_number) { return std::generic_category().message(error_number); }

// The path of the new file, before it replaces the old one.
fs::path fresh_beside(const WriteTarget& target) {
  fs::path fresh = target.file();
  fresh += ".new";
  return fresh;
}

FileDescriptor create(const fs::path& path) {
  return FileDescriptor(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666));
}

// 0, or the number of the error.
int write_all(const FileDescriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(file.get(), text.data(), text.size());
    if (put < 0 && errno != EINTR) return errno;
    if (put > 0) text.remove_prefix(static_cast<std::size_t>(put));
  }
  return 0;
}

}  // namespace

void write_file(const fs::path& path, std::string_view text) {
  const WriteTarget target(path);
  if (target.is_stream()) {
    const FileDescriptor stream = target.open_stream();
    const int error = stream.is_open() ? write_all(stream, text) : errno;
    if (error != 0) {
      throw MachineError(fmt::format("cannot write into {}: {}", path.string(), reason(error)));
    }
    return;
  }
  const fs::path fresh = fresh_beside(target);
  const FileDescriptor file = create(fresh);
  int error = file.is_open() ? write_all(file, text) : errno;
  if (error == 0 && rename(fresh.c_str(), target.file().c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(fresh.c_str());
    std::error_code is_none;
    const std::uintmax_t old_bytes = fs::file_size(target.file(), is_none);
    throw MachineError(
        fmt::format("cannot write {}: {}{}", path.string(), reason(error),
                    !is_none && old_bytes > 0 ? "; its old content is still there" : ""));
  }
}

void check_writable(const fs::path& path) {
  const WriteTarget target(path);
  if (target.is_stream()) {
    if (target.may_stream()) return;
    throw MachineError(fmt::format("cannot write into {}: {}", path.string(), reason(errno)));
  }
  // The old content stays until the new file can take its place. Without one, nothing stays: an
  // empty file would pass for a result if the run is ended early.
  const fs::path fresh = fresh_beside(target);
  std::error_code is_none;
  int error = fs::is_directory(target.file(), is_none) ? EISDIR : 0;
  if (error == 0 && !create(fresh).is_open()) error = errno;
  if (error != 0) {
    throw MachineError(fmt::format("cannot write {}: {}", path.string(), reason(error)));
  }
  unlink(fresh.c_str());
}

std::string read_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    throw UsageError(fmt::format("{} is a folder, not a file", path.string()));
  }
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) throw UsageError(fmt::format("cannot read {}: {}", path.string(), reason(errno)));
  return text.str();
}

}  // namespace gridlock
