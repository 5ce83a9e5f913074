// What a job looked like when it stood still last. A program may end its own hang: a watchdog in it
// aborts the communicator, the waits end, and whoever gives up dies. Who hung whom is seen only
// before that.
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

  // Takes in a look at all ranks at `time_ns`. Keeps a copy when no operation, stream, communicator
  // or process has moved for `least`: once for each time the job stands still. Threads that come
  // and go do not count: one that is about to abort is first seen as a new one.
  void look(std::span<const record::Snapshot> snapshots, std::int64_t time_ns);

  // How the ranks stood still until somebody aborted a communicator; empty: nobody has in `now`, or
  // the ranks moved until then.
  std::vector<record::Snapshot> before_abort(std::span<const record::Snapshot> now) const;

 private:
  Duration least_;
  std::uint64_t state_ = 0;     // of all that counts
  std::int64_t since_ns_ = -1;  // when it was first seen like this
  bool is_kept_ = false;        // of this standstill
  std::vector<record::Snapshot> kept_;
};

// Ranks that have aborted a communicator, or are about to; ascending.
std::vector<int> aborting(std::span<const record::Snapshot> snapshots);

}  // namespace gridlock::run
