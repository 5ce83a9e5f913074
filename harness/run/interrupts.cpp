// A signalfd that remembers the first signal.
#include "harness/run/interrupts.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/run/error.h"

namespace gridlock::run {

Interrupts::Interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals, signal);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  // A terminal or a reader that goes away must not end the agent before its ranks are gone.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow any more is reported like a full disk.
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

}  // namespace gridlock::run
