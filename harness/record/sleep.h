// What the kernel knows about threads that sleep outside recorded calls: who can wake them. The
// agent finds this out and the detector reasons with it; it is not in any box.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gridlock::record {

// A number that is unique among the job's processes on all hosts: the first rank of its agent in
// the upper half, its process id in the lower.
using ProcessKey = std::uint64_t;
constexpr ProcessKey process_key(std::int32_t first_rank, std::int64_t pid) {
  return static_cast<ProcessKey>(first_rank) << 32U | static_cast<std::uint32_t>(pid);
}
constexpr std::int64_t pid_of(ProcessKey process) {
  return static_cast<std::int64_t>(process & 0xffffffffU);
}
constexpr std::uint64_t host_of(ProcessKey process) { return process >> 32U; }
// Stands for any process of the job on that host.
constexpr ProcessKey anybody_at(ProcessKey process) {
  return process_key(static_cast<std::int32_t>(host_of(process)), -1);
}

// What a thread sleeps at that waits for CPython's global lock (Sleep::on).
inline constexpr const char* kPythonsLock = "Python's lock";

// Why a thread does not count as asleep.
enum class Awake : std::uint8_t {
  not_seen,   // nobody looked
  runs,       // or is about to
  may_end,    // its sleep may end by itself or from outside the job
  by_alarm,   // an alarm may interrupt it, and nothing shows when
  by_signal,  // a signal is pending
  by_page,    // another process has to fill the page that it touches
  frozen,     // by a control group; it shows the call that it was about to return from
  in_library  // it may be inside a call of CUDA, NCCL or MPI that is not recorded
};

struct Sleep {
  // It sleeps until a thread of one of `wakers` does something. False: it runs, or the agent did
  // not look, or its sleep may soon end by itself (see by_clock) or from outside the job.
  bool asleep = false;
  std::vector<ProcessKey> wakers;
  // Any other process of its host may end its sleep too: by a signal, or by the name or number of
  // what it sleeps at.
  bool by_anybody = false;
  // What it sleeps at has a name or number, by which a process outside the job may use it.
  bool has_name = false;
  // It also waits for new connections, though each rank of its host is connected. Any process of
  // the job may make one, on whatever host, and so may one outside the job.
  bool listens = false;
  // Connections to other hosts at which it waits, by their names at the other end: whoever of the
  // job holds these ends is a waker too (FarConnection).
  std::vector<std::string> far_ends;
  // It has a time limit, but a far one (kFarLimit).
  bool has_far_limit = false;
  // How often it left a core, or how often the lock of Python that it waits for was given away.
  // Equal in two looks: it did nothing in between.
  std::uint64_t switches = 0;
  std::string on;  // "a futex", "a pipe"; for reports
  // It waits for a signal, which any of the wakers may send and none in particular has to. It may
  // also come from outside the job.
  bool for_signal = false;
  // Another thread of the process was in a library and not asleep: it may briefly hold the lock
  // that this one sleeps for.
  bool may_be_brief = false;
  // It sleeps at a futex of its own process, where a worker without work sleeps too.
  bool may_idle = false;
  // It reads from or writes to one pipe or socket, or polls one. (At several, it may be an event
  // loop, to which its own process hands work.)
  bool at_one_file = false;
  std::int64_t joins = 0;    // the thread of its process whose end it waits for; 0: none is known
  std::int64_t held_by = 0;  // the one that holds the lock for which it waits; 0: not known
  // If it is not `asleep`: it sleeps for this long at most, in nanoseconds. 0: not known, or for
  // kFarLimit and more.
  std::int64_t limit_ns = 0;
  bool has_hidden_limit = false;  // it may have one that does not show
  Awake awake = Awake::not_seen;  // if it is not `asleep`; for reports
  // If it is not `asleep`: it sleeps until a time that is near, as one does that looks for work
  // again and again, and until then only `wakers` can wake it.
  bool by_clock = false;
  // By the clock, and it waits for nothing that could wake it before, but may look for the end of
  // one of its `wakers`, the children of its process.
  bool only_by_clock = false;
  // It waits for a thread of its process that sleeps by the clock: for its end (`joins`), or for a
  // lock that it holds (`held_by`).
  bool for_napper = false;
};

// A connection over a network whose other end is on another host, with nothing under way to it.
struct FarConnection {
  std::string name;  // both addresses, this host's first: "0100A8C0:A1B2>0200A8C0:7148"
  ProcessKey holder = 0;
};

// A thread of the program that is in no box: it made no recorded call, or its process has no box.
struct Sleeper {
  std::int64_t tid = 0;
  ProcessKey process = 0;
  Sleep sleep;
  bool of_rank = true;    // its process is a rank or below one; false: above one, or beside them
  bool launches = false;  // its process is above a rank
  // Its process belongs to a rank and can load NCCL, so it may make a communicator itself.
  bool may_join = true;
  // Its process is a launcher's, and a signal that it handles or waits for may come from outside
  // the job.
  bool hears = false;
  // As in Thread; only filled in before a stall is explained.
  std::string name = {};
  char state = 0;
  std::string syscall = {};
};

// Whether a signal can run the process's own code, whatever its threads wait for.
enum class Signals : std::uint8_t {
  none,         // it handles none that count
  by_children,  // only the kernel's word that one of its children has ended (SIGCHLD)
  sent,         // it handles one that another process or thread must send
  timed,        // a timer of its own may send one, or one is pending
};

}  // namespace gridlock::record
