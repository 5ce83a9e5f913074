// NCCL's shared memory is a file in /dev/shm that stays behind if the ranks are killed before they
// remove it: 34 MB each. These functions stand before the C library's in NCCL's own calls (the
// linker's --wrap), and make it memory without a file, which is gone with the last process that has
// it. Its name, /dev/shm/nccl-XXXXXX, tells the peers whose descriptor it is: six digits to the
// base of 64 hold the process and the descriptor's number. A segment for which /dev/shm has no room
// is refused, as the file would be.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

extern "C" {
int __real_mkstemp(char*);
int __real_open(const char*, int, ...);
int __real_unlink(const char*);
int __real_fallocate(int, int, off_t, off_t);
int __real_posix_fallocate(int, off_t, off_t);
}

namespace {

constexpr char kFolder[] = "/dev/shm/nccl-";
constexpr std::size_t kPrefix = sizeof kFolder - 1;
constexpr std::size_t kDigits = 6;
constexpr char kDigit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kDescriptorBits = 14;
constexpr int kProcessBits = 22;  // the kernel's limit

struct Segment {
  std::uint64_t process;
  int descriptor;
};

// False if the name cannot hold the segment.
bool write_name(char* path, Segment segment) {
  if (segment.process >> kProcessBits != 0 || segment.descriptor >> kDescriptorBits != 0)
    return false;
  std::uint64_t rest = segment.process << kDescriptorBits | segment.descriptor;
  for (std::size_t at = 0; at < kDigits; ++at, rest /= 64) path[kPrefix + at] = kDigit[rest % 64];
  return true;
}

bool read_name(const char* path, Segment& segment) {
  // NCCL may pass a null path, which the kernel refuses.
  if (path == nullptr || std::strncmp(path, kFolder, kPrefix) != 0 ||
      std::strlen(path) != kPrefix + kDigits)
    return false;
  std::uint64_t all = 0;
  for (std::size_t at = kDigits; at-- > 0;) {
    const char* digit = std::strchr(kDigit, path[kPrefix + at]);
    if (digit == nullptr) return false;
    all = all * 64 + static_cast<std::uint64_t>(digit - kDigit);
  }
  segment = {all >> kDescriptorBits, static_cast<int>(all & ((1U << kDescriptorBits) - 1))};
  return true;
}

// The descriptors by which peers find this process's segments. NCCL may call this at the very end
// of the process, so none of it is ever destroyed.
struct Own {
  std::mutex mutex;
  std::vector<int> descriptors;
};
Own& own() {
  static Own* const only = new Own;
  return *only;
}

// The peer that attaches last removes the name. It cannot close our descriptor, so it seals the
// memory as a sign.
bool is_removed(int descriptor) { return (fcntl(descriptor, F_GET_SEALS) & F_SEAL_SEAL) != 0; }

void close_removed() {
  std::erase_if(own().descriptors, [](int descriptor) {
    const bool removed = is_removed(descriptor);
    if (removed) close(descriptor);
    return removed;
  });
}

int open_segment(Segment segment) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%llu/fd/%d",
                static_cast<unsigned long long>(segment.process), segment.descriptor);
  return __real_open(path, O_RDWR | O_CLOEXEC);
}

bool has_room(off_t bytes) {
  struct statvfs folder {};
  return statvfs("/dev/shm", &folder) != 0 ||
         static_cast<std::uint64_t>(bytes) <= std::uint64_t{folder.f_bavail} * folder.f_frsize;
}

int fail(int error) {
  errno = error;
  return -1;
}

}  // namespace

extern "C" {

int __wrap_mkstemp(char* path) {
  if (std::strncmp(path, kFolder, kPrefix) != 0) return __real_mkstemp(path);
  const std::lock_guard lock(own().mutex);
  close_removed();
  const int memory = memfd_create("nccl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  const int named = fcntl(memory, F_DUPFD_CLOEXEC, 0);  // NCCL closes the other one when it likes
  if (named < 0 || !write_name(path, {static_cast<std::uint64_t>(getpid()), named})) {
    close(memory);
    if (named >= 0) close(named);
    return named < 0 ? fail(EMFILE) : __real_mkstemp(path);
  }
  own().descriptors.push_back(named);
  return memory;
}

int __wrap_open(const char* path, int flags, ...) {
  Segment segment{};
  if (read_name(path, segment)) {
    if (const int memory = open_segment(segment); memory >= 0) return memory;
  }
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return __real_open(path, flags, mode);
}

int __wrap_unlink(const char* path) {
  Segment segment{};
  if (!read_name(path, segment)) return __real_unlink(path);
  if (segment.process != static_cast<std::uint64_t>(getpid())) {
    const int memory = open_segment(segment);
    if (memory < 0) return __real_unlink(path);
    const int sealed = fcntl(memory, F_ADD_SEALS, F_SEAL_SEAL);
    close(memory);
    return sealed == 0 ? 0 : fail(ENOENT);
  }
  const std::lock_guard lock(own().mutex);
  const auto found =
      std::find(own().descriptors.begin(), own().descriptors.end(), segment.descriptor);
  if (found == own().descriptors.end()) return fail(ENOENT);
  const bool removed = is_removed(segment.descriptor);
  close(segment.descriptor);
  own().descriptors.erase(found);
  return removed ? fail(ENOENT) : 0;
}

int __wrap_fallocate(int file, int mode, off_t offset, off_t bytes) {
  return has_room(bytes) ? __real_fallocate(file, mode, offset, bytes) : fail(ENOSPC);
}

int __wrap_posix_fallocate(int file, off_t offset, off_t bytes) {
  return has_room(bytes) ? __real_posix_fallocate(file, offset, bytes) : ENOSPC;
}
}
