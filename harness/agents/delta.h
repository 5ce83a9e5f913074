// Snapshots on their way from agent to agent. For each rank only what has changed since the last
// time is sent.
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

// The sender's side; one for each job. It knows what was sent.
class DeltaWriter {
 public:
  explicit DeltaWriter(std::size_t ranks) : sent_(ranks) {}

  // Appends `snapshots`, one a rank and always in the same order. A rank of which nothing has
  // changed takes a byte.
  void write(std::span<const record::Snapshot> snapshots, Writer& writer);

 private:
  std::vector<std::array<std::string, kSections>> sent_;
};

// The receiver's side: changes `snapshots`, as the last read left them, to what is written.
//   Errors   WireError when the bytes are not what a DeltaWriter wrote, or refer to what is not
//            there; `snapshots` may then be changed in part
void read_delta(Reader& reader, std::span<record::Snapshot> snapshots);

// Moves all times of a snapshot, those that are there, by `nanoseconds`.
void shift_times(record::Snapshot& snapshot, std::int64_t nanoseconds);

}  // namespace gridlock::agents
