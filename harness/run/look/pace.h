// How fast a job progresses, judged by its calls.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::run {

// Counts communications by their NVTX label. In most programs a label comes once per step, so its
// rate is the number of steps per second.
class Pace {
 public:
  // Call at every look; snapshots by rank, with what is new since the look before.
  void look(std::span<const record::Snapshot> ranks, std::int64_t now_ns);

  // `gradients/bucket 0 41.2/s, loss 41.0/s; rank 3 is slowest, 2 calls behind`: since the last
  // tell(), for the rank with the fewest calls. "no calls" if there were none.
  std::string tell(std::int64_t now_ns);

 private:
  struct Rank {
    std::uint64_t next = 0;                       // index of the first operation not yet counted
    std::uint64_t calls = 0;                      // communications, in all
    std::map<std::string, std::uint64_t> labels;  // since the last tell()
  };

  std::vector<Rank> ranks_;
  std::int64_t since_ns_ = 0;
};

}  // namespace gridlock::run
