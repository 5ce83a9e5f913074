// Who waits for whom, as a picture: ranks in equal state share a node, and an edge says what one
// waits for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/parameters.h"
#include "harness/detect/verdict/verdict.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect {

struct WaitPicture {
  struct Node {
    std::vector<int> ranks;  // sorted
    bool culprit = false;
  };
  enum class Kind : std::uint8_t {
    absent,   // it has not made the call
    queued,   // it has made the call, but its stream cannot get there
    left,     // it has closed the communicator
    differs,  // its call there does not fit
    itself,   // it, or its device, is in the program's own code
    wakes,    // only it can wake the one that waits
  };
  struct Edge {
    std::size_t from = 0;        // waits, index in `nodes`
    std::size_t to = 0;          // for this one
    Place at;                    // what `from` waits in
    std::string asleep_on = {};  // "a pipe"; then `at` is empty
    Kind kind = Kind::absent;
    bool matters = false;  // it leads to a culprit, or is part of the cycle
  };
  std::vector<Node> nodes;  // by first rank: waiting, missed and culprit ranks
  std::vector<Edge> edges;
};

// The picture of the moment that `snapshots` show, with the culprits of `verdict`, which is a
// deadlock or a stall. `ledger` knows what the snapshots no longer show.
WaitPicture picture_of(std::span<const record::Snapshot> snapshots, const Parameters& parameters,
                       const Ledger& ledger, const Verdict& verdict);

}  // namespace gridlock::detect
