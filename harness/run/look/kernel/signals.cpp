// The rows on signals in docs/actors.md.
#include "harness/run/look/kernel/signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "harness/run/look/kernel/descriptors/signalling_files.h"
#include "harness/run/look/kernel/timers.h"

namespace gridlock::run {
namespace {

// The kernel sends these for what a thread itself does. Another process seldom does so, to ask a
// handler for the stack for example.
constexpr SignalSet kOfFaults = signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) |
                                signal_bit(SIGILL) | signal_bit(SIGSYS) | signal_bit(SIGPIPE);
// Programs ask each other to end by these.
constexpr SignalSet kRequestsToEnd = signal_bit(SIGTERM) | signal_bit(SIGHUP) | signal_bit(SIGQUIT);
// A person, a launcher or a watchdog sends these from outside, to end, stop or continue a program,
// for its core, or for a terminal's new size. They are not assumed to end a hang. (Python handles
// SIGINT in every program.)
constexpr SignalSet kFromOutside = kRequestsToEnd | signal_bit(SIGINT) | signal_bit(SIGTSTP) |
                                   signal_bit(SIGWINCH) | signal_bit(SIGCONT) |
                                   signal_bit(SIGABRT) | signal_bit(SIGTRAP);
// The kernel sends these once the process has used so much time of a core.
constexpr SignalSet kOfProcessorTime =
    signal_bit(SIGVTALRM) | signal_bit(SIGPROF) | signal_bit(SIGXCPU);
// MPI's libraries handle this one for their own use.
constexpr SignalSet kOfMpi = signal_bit(SIGUSR1);

}  // namespace

SignalSet handled_requests_to_end(const ThreadStatus& status) {
  return status.caught & kRequestsToEnd;
}

bool handles_outer_signal(const ThreadStatus& status, bool speaks_mpi) {
  return (status.caught & (kFromOutside | kOfFaults | (speaks_mpi ? kOfMpi : 0))) != 0;
}

bool passes_signals_on(std::int64_t pid) {
  static constexpr std::array<std::string_view, 10> kLaunchers{
      "mpiexec", "mpiexec.hydra", "mpiexec.mpich", "mpirun", "hydra_pmi_proxy",
      "orted",   "prted",         "prterun",       "srun",   "slurmstepd"};
  std::error_code failed;
  const auto program = std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), failed);
  return std::ranges::count(kLaunchers, program.filename().string()) != 0;
}

record::Signals signals_of_helper(std::int64_t pid) {
  const ThreadStatus status = thread_status(pid, pid);
  const SignalSet caught =
      status.caught & ~kOfFaults & ~kOfGlibc & ~kFromOutside & ~signal_bit(SIGCHLD);
  const bool is_pending = (status.pending & caught) != 0;
  if (is_pending || may_ring(pid).value_or(true)) return record::Signals::timed;
  if (caught == 0) return record::Signals::none;
  return has_signalling_file(pid) ? record::Signals::timed : record::Signals::sent;
}

std::uint64_t processor_time(std::int64_t pid, const ThreadStatus& status) {
  if ((status.caught & kOfProcessorTime) == 0) return 0;
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0) return 0;
  if (clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::uint64_t>(used.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(used.tv_nsec);
}

record::Signals signals_of(std::int64_t pid, const ThreadStatus& status, bool speaks_mpi) {
  const SignalSet of_mpi = speaks_mpi ? kOfMpi : 0;
  const SignalSet caught = status.caught & ~kOfFaults & ~kOfGlibc & ~kFromOutside & ~of_mpi;
  // If timers do not show, one may send any signal that is handled. One may also start a thread
  // (SIGEV_THREAD): then glibc's thread for it, which waits for a signal, can act.
  const bool handles_any = (status.caught & ~kOfFaults & ~kOfGlibc) != 0;
  const bool rings = may_ring(pid).value_or(handles_any);
  // MPI's waits spin, so processor time runs there. A descriptor sends one by itself too: one with
  // O_ASYNC any, and a socket that has an owner, which shows nowhere, these two.
  const bool may_come = (speaks_mpi && (caught & kOfProcessorTime) != 0) ||
                        (caught & kOfDescriptors) != 0 || (caught != 0 && has_signalling_file(pid));
  if ((status.pending & status.caught) != 0 || rings || may_come) return record::Signals::timed;
  if (caught == 0) return record::Signals::none;
  return caught == signal_bit(SIGCHLD) ? record::Signals::by_children : record::Signals::sent;
}

}  // namespace gridlock::run
