// What a job looked like when it last stood still. A program may end its own hang: a watchdog
// aborts the communicator, the waits end, and ranks that give up die. Only the state before that
// shows which rank blocked which.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/duration.h"
#include "harness/record/snapshot.h"

namespace gridlock::run {

class Standstill {
 public:
  explicit Standstill(Duration least) : least_(least) {}

  // Adds a look at all ranks at `time_ns`. Keeps a copy when no operation, stream, communicator or
  // process has moved for `least`, once per standstill. Threads that come and go do not count,
  // because a thread that is about to abort first appears as a new one.
  void look(std::span<const record::Snapshot> snapshots, std::int64_t time_ns);

  // How the ranks stood still until one aborted a communicator. Empty: none has in `now`, or the
  // ranks moved until then.
  std::vector<record::Snapshot> before_abort(std::span<const record::Snapshot> now) const;

 private:
  Duration least_;
  std::uint64_t state_ = 0;     // hash of everything that counts
  std::int64_t since_ns_ = -1;  // when it was first seen like this
  bool is_kept_ = false;        // of this standstill
  bool has_moved_ = false;      // at the last look
  bool has_aborted_ = false;    // a rank had, at the last look
  std::vector<record::Snapshot> kept_;
};

// Ranks that have aborted a communicator, or are about to; ascending.
std::vector<int> aborting(std::span<const record::Snapshot> snapshots);

}  // namespace gridlock::run
