// What the agent sees of a job: one snapshot per rank, taken again and again, and whether anything
// has moved since.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/detect/ledger.h"
#include "harness/record/snapshot.h"
#include "harness/run/boxes.h"
#include "harness/run/ranks.h"

namespace gridlock::run {

// CLOCK_MONOTONIC, the clock of the boxes.
std::int64_t now_ns();

class Sight {
 public:
  enum class Depth : std::uint8_t {
    boxes,   // the boxes, and who has ended
    kernel,  // also what the kernel knows of the threads
  };

  // Takes a snapshot of every rank, with the operations that `ledger` has not seen. Returns whether
  // anything has moved since the last look.
  bool look(Boxes& boxes, const Ranks& ranks, bool by_program, const detect::Ledger& ledger,
            Depth depth);

  const std::vector<record::Snapshot>& snapshots() const { return snapshots_; }
  // The moment after which nothing has moved. What carries no time stamp (the device's progress, a
  // process's end) counts from the look before the one that found it.
  std::int64_t last_progress_ns() const { return last_progress_ns_; }
  // When the last rank was past initialisation; 0: not all are.
  std::int64_t initialised_ns() const;
  // Ranks that live and are not past initialisation, ascending.
  std::vector<int> initialising() const;
  // Ranks that end, and that the kernel still tears down, ascending. As of the last look into the
  // kernel.
  std::vector<int> ending() const;

  // Reads the modules too, so that callers can be named.
  void read_modules(Boxes& boxes);

 private:
  std::vector<record::Snapshot> snapshots_;
  std::uint64_t pulse_ = 0;
  std::int64_t last_look_ns_ = 0;
  std::int64_t last_progress_ns_ = 0;
};

}  // namespace gridlock::run
