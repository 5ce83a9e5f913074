// What the agent sees of a job: one snapshot per rank (its own and its fellows'), renewed at every
// look, and whether anything has moved.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/record/snapshot.h"
#include "harness/run/fellows.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::run {

class Sight {
 public:
  // If `fellows` is null, all ranks are our own.
  Sight(const Job& job, OwnRanks& own, Fellows* fellows)
      : share_(own_share(job)),
        own_(own),
        fellows_(fellows),
        snapshots_(static_cast<std::size_t>(job.ranks)) {}

  // Takes a snapshot of every rank, with the operations that `ledger` has not seen.
  //   Blocks   until the fellows have answered
  void look(const detect::Ledger& ledger, Depth depth);

  const std::vector<record::Snapshot>& snapshots() const { return snapshots_; }
  // What the last look found out about the fellows.
  const Fellows::Looked& looked() const { return looked_; }
  // The moment after which nothing has moved. Changes without a time stamp (the device's progress,
  // a process's end) count from the look before the one that found them.
  std::int64_t last_progress_ns() const { return last_progress_ns_; }
  // When the last rank finished initialisation; 0: not all have.
  std::int64_t initialised_ns() const;
  // Ranks for which is_initialising() is true, ascending.
  std::vector<int> initialising() const;
  // Ranks that the kernel is still tearing down, ascending. As of the last look at the kernel.
  std::vector<int> ending() const;
  // Whether all ranks are gone, as far as this look shows. Who started them may live on.
  bool no_rank_is_left() const;

  // What has held up the threads of all ranks so far.
  //   Blocks   until the fellows have answered
  Hindrances hindrances();

  // Reads the modules too, so that callers can be named.
  void read_modules();

 private:
  std::span<record::Snapshot> own_snapshots() {
    return std::span(snapshots_)
        .subspan(static_cast<std::size_t>(share_.first), static_cast<std::size_t>(share_.ranks));
  }

  Share share_;
  OwnRanks& own_;
  Fellows* fellows_;
  std::vector<record::Snapshot> snapshots_;
  Fellows::Looked looked_;
  std::uint64_t pulse_ = 0;
  std::int64_t last_look_ns_ = 0;
  std::int64_t last_progress_ns_ = 0;
};

}  // namespace gridlock::run
