// Starts the agent and waits for its end. The guard does nothing that can fail.
#include "harness/processes/guard.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "harness/base/error.h"
#include "harness/processes/interrupts.h"
#include "harness/processes/process_tree.h"

namespace gridlock::processes {
namespace {

// The signals that the guard waits for: requests to end, which it passes on, and its agent's end.
sigset_t awaited() {
  sigset_t signals = requests_to_end();
  sigaddset(&signals, SIGCHLD);
  return signals;
}

// Waits for the agent's end. Meanwhile passes on the user's signals.
Ending wait_for_agent(pid_t agent, const sigset_t& signals) {
  while (true) {
    if (const auto ending = reap(agent)) return *ending;
    int signal = 0;
    sigwait(&signals, &signal);
    if (signal != SIGCHLD) kill(agent, signal);
  }
}

// Waits until `time` has passed or a signal asks to end.
void stay(Duration time, sigset_t signals) {
  sigdelset(&signals, SIGCHLD);
  const timespec limit{.tv_sec = time / 1s, .tv_nsec = (time % 1s).count()};
  if (time > Duration(0)) sigtimedwait(&signals, nullptr, &limit);
}

}  // namespace

int guarded(const std::function<int()>& agent, Duration linger) {
  const sigset_t signals = awaited();
  sigset_t before;
  sigprocmask(SIG_BLOCK, &signals, &before);
  // If we inherited an ignored SIGCHLD, the kernel would reap children before we can wait.
  std::signal(SIGCHLD, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  become_subreaper();
  const pid_t guard = getpid();
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw machine_error("cannot start the agent process", errno);
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != guard) _exit(3);
    become_subreaper();
    const int code = agent();
    std::fflush(nullptr);
    _exit(code);
  }
  const Ending ending = wait_for_agent(child, signals);
  const auto left = kill_descendants(kReapLimit);
  if (ending.signaled) stay(linger, signals);
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (!left.empty()) {
    std::fprintf(stderr,
                 "gridlock: %zu processes cannot be killed, because the kernel holds them\n",
                 left.size());
    return 3;
  }
  if (!ending.signaled) return ending.code;
  std::fprintf(
      stderr,
      "gridlock: signal %d (%s) ended the agent; all ranks were killed, and the results of "
      "finished runs are kept\n",
      ending.code, strsignal(ending.code));
  return 3;
}

}  // namespace gridlock::processes
