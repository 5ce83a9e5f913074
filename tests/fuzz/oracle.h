// Predicts how a program ends: it explores, state by state, a deliberately naive semantics of host
// threads, streams, collectives and messages. It shares no code with the detector or the
// simulation.
//
// The rules, as docs/sim.md has them:
// - A host thread makes its calls in order. Only the sync calls wait, for the work enqueued before.
// - A stream works on its items in order: units of communication, and waits for a point of another
//   stream.
// - The operations that one group (or lone call) makes on one communicator are one unit. A rank's
//   units of one communicator run in the order of their calls, whatever their streams. A unit is on
//   the stream of its first operation; the group's other streams wait for it, and it for them.
// - Within a unit, collectives run one after the other and messages at the same time, except that
//   messages from one rank are received in order.
// - An operation completes when the ranks whose data it needs have reached theirs and, if it is
//   large, also the ranks that must take its data. Their call, size and root must be the same;
//   otherwise it never completes.
// - A rank at the end of its list waits for all its streams and leaves for good.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/fuzz/program.h"

namespace gridlock::fuzz {

// Who is at fault if ranks never finish, by the rules of the design alone.
struct Blame {
  enum class Cause { none, mismatch, left, missing, circle };
  Cause cause = Cause::none;
  // Nothing if the rules leave it open: all calls are made, but in different orders.
  std::optional<std::vector<int>> culprits;
};

struct Fate {
  // For each rank: whether it gets to the end of its list and all its streams become empty.
  std::vector<bool> finishes;
  // For each rank: the instruction in which its host thread stays for ever; one past the last if it
  // waits for its streams in the end; -1 if it leaves.
  std::vector<int> host_stuck_at;
  Blame blame;
  std::size_t states = 0;   // states visited
  bool exhaustive = false;  // whether these are all that can be reached

  bool dead() const;
  std::vector<int> stuck_ranks() const;
};

// Explores all interleavings if there are at most `bound` states. Otherwise follows only one. All
// end in the same way, because no step of these programs makes another step impossible.
//   Errors   std::logic_error if two interleavings end differently, so that this claim is wrong
Fate foretell(const Program& program, std::size_t bound);

}  // namespace gridlock::fuzz
