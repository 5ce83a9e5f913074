// What becomes of a program, found by trying: a deliberately naive semantics of host threads,
// streams, collectives and messages, whose states are explored one by one. Shares nothing with the
// detector and nothing with the simulation.
//
// The rules, as docs/sim.md has them:
// - A host thread calls in order. Only the sync calls wait, for what was enqueued before them.
// - A stream does its items in order: units of communication, and waits for a point of another
//   stream.
// - The operations that one group (or lone call) makes on one communicator are one unit. A rank's
//   units of one communicator run in the order of their calls, whatever their streams. A unit is on
//   the stream of its first operation; the group's other streams wait for it, and it for them.
// - Within a unit, collectives go one after the other, messages at the same time, except that what
//   is received from one rank is taken in order.
// - An operation completes when those whose data it needs have reached theirs, and, where it is
//   large, those who must take its data; their call, size and root must be the same, else it never
//   completes.
// - A rank that is through its list waits for all its streams and leaves for good.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/fuzz/program.h"

namespace gridlock::fuzz {

// Who is at fault where ranks never finish, by the words of the design alone.
struct Blame {
  enum class Cause { none, mismatch, left, missing, circle };
  Cause cause = Cause::none;
  // Nothing where the words leave it open: the order of calls that are all made.
  std::optional<std::vector<int>> culprits;
};

struct Fate {
  // Of each rank: whether it gets through its list and all its streams run empty.
  std::vector<bool> finishes;
  // Of each rank: the instruction in which its host thread stays for ever, one past the last where
  // it waits for its streams in the end; -1 where it leaves.
  std::vector<int> host_stuck_at;
  Blame blame;
  std::size_t states = 0;   // that were visited
  bool exhaustive = false;  // whether these were all that can be reached

  bool dead() const;
  std::vector<int> stuck_ranks() const;
};

// Explores all interleavings where there are at most `bound` states; else follows one, which says
// the same because no step of these programs can take another's possibility away.
//   Errors   std::logic_error where two interleavings end differently (the sentence above is wrong)
Fate foretell(const Program& program, std::size_t bound);

}  // namespace gridlock::fuzz
