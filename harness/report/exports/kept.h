// What the ranks of a run did, as their black boxes tell it.
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
  std::vector<record::Snapshot> snapshots;  // by rank; empty: no boxes were kept
};

// The boxes of the run with this index in Results::runs; empty where none were kept. They are asked
// for one after the other, so that only those of one run are in memory.
using BoxesOf = std::function<std::vector<record::Snapshot>(std::size_t run)>;

// "function (file:line)" of the innermost caller of an operation that can be named; "": none.
using CallerOf = std::function<std::string(const record::Snapshot&, const record::Operation&)>;

// How far the device is with an operation. Where the recorder only polls, it may be further.
enum class Reach : std::uint8_t { announced, enqueued, started, completed, failed };
std::string_view to_string(Reach reach);
Reach reach_of(const record::Snapshot& snapshot, const record::Operation& operation);

// Who is member of each communicator: rank of the job by rank in the communicator, as far as their
// boxes say it.
std::map<std::uint64_t, std::map<int, int>> members_of(
    const std::vector<record::Snapshot>& snapshots);

}  // namespace gridlock::report
