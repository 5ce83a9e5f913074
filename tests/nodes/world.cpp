// unshare(2), and a first process that reaps the others.
#include "tests/nodes/world.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace gridlock::nodes {
namespace {

constexpr int kSpaces = CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWIPC;

[[noreturn]] void end_like(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

[[noreturn]] void fail(const char* what) {
  const int error = errno;
  const std::string line =
      std::string("cannot set up the private world: ") + what + ": " + std::strerror(error) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  _exit(3);
}

void set_up() {
  if (mount("proc", "/proc", "proc", 0, nullptr) != 0) fail("/proc");
  if (mount("tmpfs", "/run", "tmpfs", 0, "mode=755") != 0) fail("/run");
  if (std::system("ip link set lo up") != 0) fail("ip link set lo up");
}

// Process 1 of the world: reaps all processes that end in it, until `program` has ended.
[[noreturn]] void collect_until(pid_t program) {
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    if (ended == program) {
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    if (ended < 0 && errno != EINTR) _exit(3);
  }
}

}  // namespace

std::string enter_world() {
  if (geteuid() != 0) return "namespaces for hosts need root";
  if (std::system("ip -V >/dev/null 2>&1") != 0) {
    return "there is no program ip: install the package iproute2";
  }
  if (unshare(kSpaces) != 0) {
    return std::string("this container may not make namespaces (unshare: ") + std::strerror(errno) +
           ")";
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return std::string("mounts cannot be made private (in a chroot?): ") + std::strerror(errno);
  }
  const pid_t first = fork();
  if (first < 0) fail("fork");
  if (first > 0) end_like(first);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  set_up();
  const pid_t program = fork();
  if (program < 0) fail("fork");
  if (program > 0) collect_until(program);
  return "";
}

}  // namespace gridlock::nodes
