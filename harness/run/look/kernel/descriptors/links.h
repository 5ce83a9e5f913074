// Where descriptors lead, by the links in /proc/<pid>/fd.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

namespace gridlock::run {

// How the texts of file_of() begin.
constexpr std::string_view kEvents = "anon_inode:[eventfd]";
constexpr std::string_view kTimer = "anon_inode:[timerfd]";
constexpr std::string_view kProcess = "anon_inode:[pidfd]";
constexpr std::string_view kPolls = "anon_inode:[eventpoll]";
constexpr std::string_view kRing = "anon_inode:[io_uring]";
// Of our own making: the kernel's links hold paths here.
constexpr std::string_view kNamedPipe = "named pipe:";
constexpr std::string_view kRegular = "file:";
constexpr std::string_view kCounter = "eventfd-id:";

// What the kernel tells about a descriptor (/proc/<pid>/fdinfo); "" if it is gone.
std::string info_of(pid_t pid, const std::string& number);

// A descriptor in an open folder of them (/proc/<pid>/fd). Asking relative to the folder costs half
// of what its whole path does.
struct Descriptor {
  pid_t pid = 0;
  int folder = -1;
  const char* number = "";
};
struct Link {
  std::string target;
  bool reads = false;
  bool writes = false;
};
Link link_of(const Descriptor& descriptor);

// Where a descriptor leads, as a text that is equal for all descriptors that lead there; "" if
// there is no such text.
std::string file_of(const Descriptor& descriptor, std::string target);
std::string file_of(pid_t pid, const std::string& number);
// The same of a regular file, by its numbers.
std::string regular_file(dev_t device, ino_t inode);

// Whether the file of a descriptor still has a name, by which anybody may open it.
bool has_a_name(pid_t pid, int number);

}  // namespace gridlock::run
