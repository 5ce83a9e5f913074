// Which signals a process handles, and who sends them.
#pragma once

#include <csignal>
#include <cstdint>

#include "harness/record/sleep.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {

// Signals that glibc reserves.
constexpr SignalSet kOfGlibc = signal_bit(32) | signal_bit(33);
constexpr SignalSet kOfTimers = signal_bit(SIGALRM) | signal_bit(SIGVTALRM) | signal_bit(SIGPROF);
// The kernel sends these when something happens at a descriptor.
constexpr SignalSet kOfDescriptors = signal_bit(SIGIO) | signal_bit(SIGURG);

// The signals that it handles of those with which another program asks it to end.
SignalSet handled_requests_to_end(const ThreadStatus& status);

// Whether it handles a signal that usually comes from outside the job or from a fault of its own,
// or that MPI's libraries use.
bool handles_outer_signal(const ThreadStatus& status, bool speaks_mpi);

// Whether the program is a launcher of MPI's or Slurm's, whose handlers only pass signals on to the
// ranks.
bool passes_signals_on(std::int64_t pid);

// Which signals may interrupt a process that is no rank. Of its children's ends nothing is said
// here: they are processes of the job themselves.
record::Signals signals_of_helper(std::int64_t pid);

// Which signals may interrupt the process `pid`; `status` is one of its threads. `speaks_mpi`:
// MPI's libraries are in it.
record::Signals signals_of(std::int64_t pid, const ThreadStatus& status, bool speaks_mpi);

// How much time of a core the process has used, in nanoseconds, if a signal may come at some time
// of that (setitimer, RLIMIT_CPU); 0: none may.
std::uint64_t processor_time(std::int64_t pid, const ThreadStatus& status);

}  // namespace gridlock::run
