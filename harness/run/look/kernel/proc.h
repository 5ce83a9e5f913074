// What /proc says about one thread: where it is in the kernel, and how often it left a core.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gridlock::run {

// A file in /proc, without the final newline; "" if it is empty or cannot be read. errno then says
// why, or is 0.
std::string proc_text(const std::string& path);

// Whether `error`, of a failed look at a process or a thread in /proc, means that it is gone. This
// agent may also have no descriptor or no memory left; then it is not known.
bool means_gone(int error);

// The system call that a thread sleeps in.
struct SystemCall {
  bool sleeps = false;  // it has no core, and is in a system call
  bool runs = false;    // it has a core, or waits for one; false as well if nobody may look
  long number = -1;
  std::array<std::uint64_t, 6> arguments{};
  std::uint64_t stack = 0;        // the thread's stack pointer
  std::uint64_t instruction = 0;  // behind the one that entered the kernel
  int as_int(std::size_t argument) const {
    return static_cast<int>(static_cast<std::uint32_t>(arguments[argument]));
  }
};
SystemCall system_call(std::int64_t pid, std::int64_t tid);

// A set of signals: bit n - 1 is signal n.
using SignalSet = std::uint64_t;
constexpr SignalSet signal_bit(int signal) {
  return SignalSet{1} << static_cast<unsigned>(signal - 1);
}

struct ThreadStatus {
  char state = '\0';           // R, S, D, Z, T; '\0': none was read, and errno says why
  std::uint64_t switches = 0;  // how often it left a core
  SignalSet caught = 0;        // signals that the process handles
  SignalSet pending = 0;       // signals that the thread gets as soon as it runs
  SignalSet blocked = 0;       // signals that wait, for one because the thread runs their handler
};
ThreadStatus thread_status(std::int64_t pid, std::int64_t tid);

// Less, from another file, for half of the price.
struct ThreadStat {
  std::string name;
  char state = '\0';          // as above
  std::uint64_t flags = 0;    // the kernel's, PF_…
  std::uint64_t threads = 0;  // of its process
  SignalSet pending = 0;      // signals that the thread alone is sent, of the first 31
};
ThreadStat thread_stat(std::int64_t pid, std::int64_t tid);

// A thread through which /proc shows what the process has: its first one, unless that has ended
// before others. Each is found at /proc/<tid> too.
std::int64_t thread_that_shows(std::int64_t pid);

// The variables by which launchers tell a process its local rank. As in the recorder.
inline constexpr std::array<std::string_view, 4> kLocalRanks{
    "LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"};

// Whether the process was started with this variable, "NAME=value".
bool has_variable(std::int64_t pid, std::string_view text);

// What the kernel told the process's program at its start; "" if nobody may see.
std::string auxiliary_vector(std::int64_t pid);
// An entry of such a vector (<elf.h>, AT_…); {} if it has none.
std::optional<std::uint64_t> auxiliary(std::string_view vector, std::uint64_t type);
// Whether the process's program has the dynamic loader, without which it cannot load CUDA or NCCL.
// True if nobody may see.
bool has_loader(std::int64_t pid);
// Whether the process was started with the number of a local rank. True if nobody may see.
bool has_local_rank(std::int64_t pid);
// The descriptor through which MPICH and its kin talk to mpiexec, as the process was told at its
// start; {} if it was not, or nobody may see.
std::optional<std::uint64_t> connection_to_launcher(std::int64_t pid);

// Whether the thread waits, in whatever call, until another process fills a page of its memory
// (userfaultfd). False if the kernel does not tell where it waits.
bool waits_for_a_page(std::int64_t pid, std::int64_t tid);

// Whether the freezer of control groups (version 2) has stopped the process: its threads then count
// as asleep. (In other freezers they are in state D.)
bool is_in_freezer(std::int64_t pid);

// Whether the thread has ended and is only listed: a process's first thread is, while others run.
bool has_ended_before_others(std::int64_t pid, std::int64_t tid);
// Whether a thread that was listed has ended since, and so does nothing any more. False if it
// cannot be looked at.
bool has_ended_just_now(std::int64_t pid, std::int64_t tid);

}  // namespace gridlock::run
