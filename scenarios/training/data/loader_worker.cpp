// The worker process: forked, so it may use nothing but system calls.
#include "scenarios/training/data/loader_worker.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <stdexcept>
#include <system_error>

#include "scenarios/runtime/label.h"

namespace gridlock {
namespace {

using Pipe = std::array<int, 2>;  // read end, write end

Pipe open_pipe() {
  Pipe ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "a loader worker needs a pipe");
  }
  return ends;
}

// Closes all other descriptors. Otherwise a worker could hold a socket or the harness's pipe open
// after its parent has closed it.
[[noreturn]] void serve(int requests, int answers, int storage, Storage state, int at) {
  dup2(requests, 0);
  dup2(answers, 1);
  dup2(storage, 2);
  syscall(SYS_close_range, 3U, ~0U, 0U);
  int index = 0;
  for (int served = 0; ::read(0, &index, sizeof index) == sizeof index; ++served) {
    constexpr timespec kSlow{.tv_sec = 0, .tv_nsec = 5'000'000};
    char sample = 0;
    if (state == Storage::slow && served >= at) nanosleep(&kSlow, nullptr);
    if (state == Storage::hangs && served >= at && ::read(2, &sample, 1) != 1) break;
    if (::write(1, &index, sizeof index) != sizeof index) break;
  }
  _exit(0);
}

}  // namespace

LoaderWorker::LoaderWorker(Storage storage, int at) {
  const Pipe request = open_pipe();
  const Pipe answer = open_pipe();
  const Pipe disk = open_pipe();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "no loader worker");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);  // the parent died before the line above
    serve(request[0], answer[1], disk[0], storage, at);
  }
  ::close(request[0]);
  ::close(answer[1]);
  ::close(disk[0]);
  request_ = request[1];
  answer_ = answer[0];
  dead_storage_ = disk[1];
}

LoaderWorker::~LoaderWorker() {
  ::close(request_);
  ::close(answer_);
  ::close(dead_storage_);
}

int LoaderWorker::fetch(int index, int timeout_ms) {
  const Label label("loader/next");
  int answered = 0;
  const bool asked = ::write(request_, &index, sizeof index) == sizeof index;
  if (asked && timeout_ms >= 0) {
    pollfd entry{.fd = answer_, .events = POLLIN, .revents = 0};
    if (poll(&entry, 1, timeout_ms) == 0) {
      throw std::runtime_error("the loader worker did not answer in time; look at its storage");
    }
  }
  if (!asked || ::read(answer_, &answered, sizeof answered) != sizeof answered) {
    throw std::runtime_error("the loader worker has gone before it answered");
  }
  return answered;
}

}  // namespace gridlock
