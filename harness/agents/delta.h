// Encodes snapshots for another agent: for each rank only what has changed since the last time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/agents/snapshot_fields.h"
#include "harness/record/snapshot.h"

namespace gridlock::agents {

// The sender's side; one for each job. It remembers what was sent.
class DeltaWriter {
 public:
  explicit DeltaWriter(std::size_t ranks) : sent_(ranks) {}

  // Appends `snapshots`, one per rank and always in the same order. An unchanged rank takes one
  // byte.
  void write(std::span<const record::Snapshot> snapshots, Writer& writer);

 private:
  std::vector<std::array<std::string, kSections>> sent_;
};

// The receiver's side: updates `snapshots`, which must be as the last read left them.
//   Errors   WireError if no DeltaWriter wrote the bytes, or they refer to something missing; then
//            `snapshots` may be partly changed
void read_delta(Reader& reader, std::span<record::Snapshot> snapshots);

// Shifts all times in the snapshot by `nanoseconds`.
void shift_times(record::Snapshot& snapshot, std::int64_t nanoseconds);

}  // namespace gridlock::agents
