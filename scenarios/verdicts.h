// Verdicts that many scenarios declare.
#pragma once

#include <utility>
#include <vector>

#include "scenarios/expectation.h"

namespace gridlock {

inline Expectation all_well(int) { return completes(); }

// Every rank ends with its own error.
inline Expectation all_fail(int ranks) { return fails().culprits(all_ranks(ranks)); }

// `gone` has ended, and all others wait for it.
inline Expectation one_has_left(int ranks, int gone, const Place& others) {
  return deadlock(Cause::rank_exited).culprits({gone}).waiting(all_but(ranks, gone), others);
}

// The same if it ends right behind a collective, without destroying its communicator. Over a
// network the host still sends what NCCL's kernel has left behind (src/proxy.cc), and the process
// takes that with it. So some of the others may wait one collective earlier, or all do, which is no
// proof.
inline Expectation one_has_left_at_once(int ranks, int gone, const Place& others) {
  return one_has_left(ranks, gone, others).or_on_real_nccl(Outcome::stall).loosely_on_real_nccl();
}

// `stuck` is somewhere in host code, and all others wait for it. If the kernel shows that it sleeps
// there and that nobody can wake it, this is a proof.
inline Expectation one_is_stuck(int ranks, int stuck, const Place& others) {
  return stall(Cause::host_stuck)
      .or_else(Outcome::deadlock)
      .culprits({stuck})
      .waiting(all_but(ranks, stuck), others);
}

// Calls that do not match hang for ever in the simulation.
inline Expectation mismatched(std::vector<int> culprits) {
  return deadlock(Cause::mismatch).undefined_on_real_nccl().culprits(std::move(culprits));
}

// `odd_one` makes another call than all others in the same slot, so only `others` need a slot.
inline Expectation calls_differ(int ranks, int odd_one, const Place& its, const Place& others) {
  return mismatched(fewer_or_all(ranks, {odd_one}))
      .waiting({odd_one}, in_slot_of(others, its))
      .waiting(all_but(ranks, odd_one), others);
}

// `odd_one` waits in a call that the others never make. The others wait in a call that it does not
// make. With two ranks, neither differs from a majority.
inline Expectation one_is_elsewhere(int ranks, int odd_one, const Place& its, const Place& others) {
  return deadlock(ranks == 2 ? Cause::cycle : Cause::missing_rank)
      .culprits(fewer_or_all(ranks, {odd_one}))
      .waiting({odd_one}, its)
      .waiting(all_but(ranks, odd_one), others);
}

// Two communicators of all ranks. On even ranks, the host waits in the first; they have not called
// the second. Odd ranks do the opposite. Equal numbers of both form a cycle. With one more even
// rank, most ranks are in the first communicator, and the odd ranks are missing there.
inline Expectation hosts_crossed(int ranks, const Place& first, const Place& second) {
  Expectation whole = ranks % 2 == 0 ? deadlock(Cause::cycle).culprits(all_ranks(ranks))
                                     : deadlock(Cause::missing_rank).culprits(odd_ranks(ranks));
  return whole.waiting(even_ranks(ranks), first).waiting(odd_ranks(ranks), second);
}

// The same, but all ranks have called both, and only their streams wait for each other.
inline Expectation streams_crossed(int ranks, const Place& first, const Place& second) {
  return deadlock(Cause::cycle)
      .culprits(fewer_or_all(ranks, odd_ranks(ranks)))
      .waiting(even_ranks(ranks), first)
      .waiting(odd_ranks(ranks), second);
}

}  // namespace gridlock
