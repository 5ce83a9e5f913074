// Signs of life of ranks that have made no recorded call yet. They load their program and its
// libraries, which takes half a minute for a large framework on a busy machine.
#pragma once

#include <cstdint>
#include <span>

#include "harness/base/limits.h"
#include "harness/record/snapshot.h"

namespace gridlock::run {

// What all processes below this agent have done so far, added up.
struct Activity {
  Duration on_core{};
  std::uint64_t bytes_read = 0;
  std::uint64_t pages = 0;  // page faults, minor and major
};
//   Blocks   no; four system calls per process
Activity activity_of_job();

// Whether they did more than processes that only wait and poll now and then.
bool is_lively(const Activity& before, const Activity& now, Duration between);

// Whether a living rank has made no recorded call.
bool has_not_begun(const record::Snapshot& snapshot);

// Tells when the job was last lively while some ranks had not begun.
class Beginnings {
 public:
  // Looks if a rank has not begun and the last look was at least `every` ago.
  void look(std::span<const record::Snapshot> snapshots, std::int64_t now_ns, Duration every);
  std::int64_t last_lively_ns() const { return last_lively_ns_; }

 private:
  Activity before_;
  std::int64_t before_ns_ = 0;
  std::int64_t last_lively_ns_ = 0;
};

}  // namespace gridlock::run
