// What the agent sees of a job: one snapshot per rank, its own and its fellows', taken again and
// again, and whether anything has moved since.
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
  // `fellows` may be null: all ranks are our own.
  Sight(const Job& job, OwnRanks& own, Fellows* fellows)
      : share_(own_share(job)),
        own_(own),
        fellows_(fellows),
        snapshots_(static_cast<std::size_t>(job.ranks)) {}

  // Takes a snapshot of every rank, with the operations that `ledger` has not seen.
  //   Blocks   until the fellows have answered
  void look(const detect::Ledger& ledger, Depth depth);

  const std::vector<record::Snapshot>& snapshots() const { return snapshots_; }
  // What the last look found of the fellows.
  const Fellows::Looked& looked() const { return looked_; }
  // How long it waited for their answers.
  Duration waited() const { return waited_; }
  // The moment after which nothing has moved. What carries no time stamp (the device's progress, a
  // process's end) counts from the look before the one that found it.
  std::int64_t last_progress_ns() const { return last_progress_ns_; }
  // When the last rank was past initialisation; 0: not all are.
  std::int64_t initialised_ns() const;
  // Ranks of which is_initialising() is true, ascending.
  std::vector<int> initialising() const;
  // Ranks that end, and that the kernel still tears down, ascending. As of the last look into the
  // kernel.
  std::vector<int> ending() const;

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
  Duration waited_{};
  std::uint64_t pulse_ = 0;
  std::int64_t last_look_ns_ = 0;
  std::int64_t last_progress_ns_ = 0;
};

}  // namespace gridlock::run
