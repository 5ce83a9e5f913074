// Signs of life of ranks that have made no recorded call yet: they load their program and its
// libraries, which takes a large framework half a minute on a busy machine.
#pragma once

#include <cstdint>
#include <span>

#include "harness/base/limits.h"
#include "harness/record/snapshot.h"

namespace gridlock::run {

// What the processes below this agent together have done so far.
struct Activity {
  Duration on_core{};
  std::uint64_t bytes_read = 0;
  std::uint64_t pages = 0;  // that were mapped: page faults, minor and major
};
//   Blocks   no; four system calls a process
Activity activity_of_job();

// Whether that is more than processes do that only wait, now and then looking for something.
bool is_lively(const Activity& before, const Activity& now, Duration between);

// Whether a rank that lives has made no recorded call.
bool has_not_begun(const record::Snapshot& snapshot);

// When the ranks that have not begun were last seen to be lively.
class Beginnings {
 public:
  // Looks, where one of them has not begun and the last look is `every` ago.
  void look(std::span<const record::Snapshot> snapshots, std::int64_t now_ns, Duration every);
  std::int64_t last_lively_ns() const { return last_lively_ns_; }

 private:
  Activity before_;
  std::int64_t before_ns_ = 0;
  std::int64_t last_lively_ns_ = 0;
};

}  // namespace gridlock::run
