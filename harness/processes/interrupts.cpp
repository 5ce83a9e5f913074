// Receives signals through a signalfd, and remembers the first.
#include "harness/processes/interrupts.h"

#include <sys/signalfd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/base/error.h"

namespace gridlock::processes {

namespace {

std::array<bool, NSIG> ignored_at_first{};

bool is_ignored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

void note_ignored() {
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT}) {
    ignored_at_first[static_cast<std::size_t>(signal)] = is_ignored(signal);
  }
}

// Runs before the constructors of all libraries. UCX, which MPICH loads, sets a SIGHUP handler in
// its constructor, even if the signal was ignored.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_all)() = note_ignored;

}  // namespace

sigset_t requests_to_end() {
  sigset_t signals;
  sigemptyset(&signals);
  // SIGTERM tells the agent that its guard is gone, so the agent always listens for it.
  sigaddset(&signals, SIGTERM);
  for (const int signal : {SIGINT, SIGHUP, SIGQUIT}) {
    if (is_ignored(signal) || ignored_at_first[static_cast<std::size_t>(signal)]) {
      std::signal(signal, SIG_IGN);
    } else {
      sigaddset(&signals, signal);
    }
  }
  return signals;
}

Interrupts::Interrupts() {
  const sigset_t signals = requests_to_end();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  // A terminal or a reader that goes away must not end the agent before its ranks are gone.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that has reached its size limit is reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  descriptor_ = FileDescriptor(signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_.is_open()) throw machine_error("cannot receive signals", errno);
}

bool Interrupts::requested() {
  signalfd_siginfo info{};
  while (read(descriptor_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (signal_ == 0) signal_ = static_cast<int>(info.ssi_signo);
  }
  return signal_ != 0;
}

std::string Interrupts::name() const {
  const char* name = signal_ == 0 ? nullptr : sigabbrev_np(signal_);
  return name == nullptr ? "" : std::string("SIG") + name;
}

}  // namespace gridlock::processes
