// Follows links one by one: the last may lead to a file that does not exist yet, and a link in
// /proc/self/fd may lead to something without a path.
#include "harness/base/write_target.h"

#include <fcntl.h>

#include <charconv>
#include <cstdio>
#include <string>

namespace gridlock {
namespace {

namespace fs = std::filesystem;

// N of /proc/self/fd/N, under any of its names; else -1.
int own_descriptor(const fs::path& path) {
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/fd", error);
  if (own.empty() || fs::canonical(path.parent_path(), error) != own) return -1;
  const std::string name = path.filename().string();
  int descriptor = -1;
  std::from_chars(name.data(), name.data() + name.size(), descriptor);
  return descriptor;
}

}  // namespace

WriteTarget::WriteTarget(const fs::path& path) : file_(path) {
  constexpr int kMostLinks = 40;  // as in the kernel
  std::error_code error;
  for (int i = 0; i < kMostLinks && own_descriptor_ < 0; ++i) {
    own_descriptor_ = own_descriptor(file_);
    if (!fs::is_symlink(fs::symlink_status(file_, error))) break;
    file_ = file_.parent_path() / fs::read_symlink(file_, error);
  }
  is_stream_ = own_descriptor_ >= 0 || fs::is_other(fs::status(path, error));
  if (is_stream_) file_ = path;
}

bool WriteTarget::may_stream() const {
  return own_descriptor_ >= 0 ? fcntl(own_descriptor_, F_GETFD) >= 0
                              : access(file_.c_str(), W_OK) == 0;
}

FileDescriptor WriteTarget::open_stream() const {
  std::fflush(stdout);  // the stream may be stdout
  if (own_descriptor_ >= 0) {
    return FileDescriptor(fcntl(own_descriptor_, F_DUPFD_CLOEXEC, 0));
  }
  FileDescriptor stream(open(file_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (stream.is_open()) fcntl(stream.get(), F_SETFL, 0);
  return stream;
}

}  // namespace gridlock
