// What the kernel knows of threads that sleep outside recorded calls: who can end that. The agent
// finds it out, the detector reasons with it; no box says it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gridlock::record {

// A process of the job, by a number that no other process of it has, on whatever host: the first
// rank of its agent in the upper half, its process id in the lower.
using ProcessKey = std::uint64_t;
constexpr ProcessKey process_key(std::int32_t first_rank, std::int64_t pid) {
  return static_cast<ProcessKey>(first_rank) << 32U | static_cast<std::uint32_t>(pid);
}
constexpr std::uint64_t host_of(ProcessKey process) { return process >> 32U; }

struct Sleep {
  // It sleeps, without a time limit, until a thread of one of `wakers` does something. False: it
  // runs, or nobody looked, or its sleep may end by itself or by somebody who is not of the job.
  bool asleep = false;
  std::vector<ProcessKey> wakers;
  std::uint64_t switches = 0;  // how often it left a core; the same twice: it slept in between
  std::string on;              // "a futex", "a pipe"; for words
  // Another thread of the process was in a library and not asleep: it may hold, for a moment, the
  // lock that this one sleeps for.
  bool may_be_brief = false;
};

// A thread of the program's of which no box tells: it made no recorded call, or its process has no
// box.
struct Sleeper {
  std::int64_t tid = 0;
  ProcessKey process = 0;
  Sleep sleep;
};

// What can interrupt a process, whatever its threads wait for, and have its own code run.
enum class Signals : std::uint8_t {
  none,   // it handles none that counts
  sent,   // it handles one that another process, or a thread, would have to send
  timed,  // it handles one that a timer of its own may send, or one is pending
};

}  // namespace gridlock::record
