// Makes pipes, and raises the limit on open files.
#include "harness/base/file_descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>

#include "harness/base/error.h"

namespace gridlock {

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw machine_error("cannot make a pipe; raise `ulimit -n` or start fewer ranks", errno);
  }
  Pipe made{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  fcntl(made.read.get(), F_SETFL, O_NONBLOCK);
  return made;
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace gridlock
