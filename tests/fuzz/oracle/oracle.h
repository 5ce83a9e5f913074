// Predicts how a program ends: it explores, state by state, a deliberately naive semantics of host
// threads, streams, collectives and messages. It shares no code with the detector or the
// simulation.
//
// The rules, as docs/sim.md has them:
// - A host thread makes its calls in order. Only the sync calls wait, for the work enqueued before.
//   What another thread of the rank enqueues later does not count; on a blocking stream, it comes
//   after a copy that another thread is in.
// - A stream works on its items in order: units of communication, and waits for a point of another
//   stream.
// - The operations that one group (or lone call) makes on one communicator are one unit, which is
//   enqueued when the group ends. A rank's units of one communicator run in the order of their
//   calls, whatever their streams. A unit is on the stream of its first operation; the group's
//   other streams wait for it, and it for them.
// - Within a unit, collectives run one after the other and messages at the same time, except that
//   messages from one rank are received in order.
// - A collective of one rank is a copy, which its call enqueues, also inside a group or before the
//   group connects. Only its stream orders it.
// - An operation completes when the ranks whose data it needs have reached theirs and, if it is
//   large, also the ranks that must take its data. Their call, size and root must be the same;
//   otherwise it never completes.
// - In a lazy program, the first collective on a communicator waits on the host until all members
//   are in theirs, and the first message of a pair until the other rank is in its counterpart.
// - A split waits on the host until all members are in their split of the same number, or past it.
//   A destroy waits for this rank's operations on the communicator, and then until all members
//   have come as far or aborted it.
// - A rank that drops a communicator ends its own operations there. Whether others still get their
//   data is left open.
// - A call of MPI waits on the host until it is complete. A large message is complete when it is
//   received.
// - A rank whose threads have all come to their ends waits for all its streams and leaves for good.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {

// Who is at fault if ranks never finish, by the rules of the design alone.
struct Blame {
  enum class Cause { none, mismatch, left, missing, circle };
  Cause cause = Cause::none;
  // Nothing if the rules leave it open: all calls are made, but in different orders.
  std::optional<std::vector<int>> culprits;
  bool operator==(const Blame&) const = default;
};

struct Fate {
  // For each rank: whether it gets to the end of its list and all its streams become empty.
  std::vector<bool> finishes;
  // For each rank: the instruction in which its host thread stays for ever; one past the last if it
  // waits for its streams in the end; -1 if it leaves.
  std::vector<int> host_stuck_at;
  Blame blame;

  bool operator==(const Fate&) const = default;
  bool dead() const;
  std::vector<int> stuck_ranks() const;
};

struct Foresight {
  std::vector<Fate> fates;  // how it may end; only one of them if not exhaustive
  std::size_t states = 0;   // states visited
  bool exhaustive = false;  // whether these are all that can be reached
};

bool drops_work(const Program& program);
// Whether a program may end in several ways: only if a rank has several threads, or drops work.
bool is_open(const Program& program);

enum class Steps {
  all,     // explores the order of all steps, to check that most orders do not matter
  chosen,  // only the order of steps that matters
};

// Explores all interleavings if there are at most `bound` states. Otherwise follows only one.
//   Errors   std::logic_error if a program that is not open ends in two ways
Foresight foretell(const Program& program, std::size_t bound, Steps steps = Steps::chosen);

}  // namespace gridlock::fuzz
