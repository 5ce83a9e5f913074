// What the ranks of a run did, according to their black boxes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

// One run with its boxes.
struct Kept {
  const Run* run = nullptr;
  std::vector<record::Snapshot> snapshots;  // by rank; empty if no boxes were kept
};

// The boxes of the run with this index in Results::runs; empty if none were kept. Runs are asked
// for one after the other, so that the boxes of only one run are in memory.
using BoxesOf = std::function<std::vector<record::Snapshot>(std::size_t run)>;

// "function (file:line)" of the innermost caller of an operation that has a name; "" if none has.
using CallerOf = std::function<std::string(const record::Snapshot&, const record::Operation&)>;

// How far the device has come with an operation. On a polled stream it may have come further.
enum class Reach : std::uint8_t { announced, enqueued, started, completed, failed };
std::string_view to_string(Reach reach);
Reach reach_of(const record::Snapshot& snapshot, const record::Operation& operation);

// The members of each communicator, as far as the boxes show them: the rank of the job by the rank
// in the communicator.
std::map<std::uint64_t, std::map<int, int>> members_of(
    const std::vector<record::Snapshot>& snapshots);

}  // namespace gridlock::report
