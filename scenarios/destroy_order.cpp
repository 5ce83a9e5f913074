// Ranks close communicators while others use them, or in different order.
//
// Lesson    ncclCommDestroy is a collective of its node: it waits for this rank's work and then for
// the
//           other members to close as well. It has an order like any other collective.
// Watch     The rank that destroys is blamed by nobody at first: it waits, too, and its work is
// done. In
//           garbage-collected languages nobody wrote the order down; it is that of the destructors.
//           Finalizing first changes nothing while the communicators block. Aborting ends the wait
//           of the one who leaves and strands the others for good.
// Cure      Destroy when all ranks have agreed that they are done, in one order. Or communicators
// that do
//           not block: finalize all of them, poll until they are, then destroy.
// Seen in   pytorch#119250 (shutting groups down in one order), vllm#39846 (destroy deadlocks in an
//           uncoordinated shutdown), NVIDIA/nccl#863 (abort needs all ranks of a node)

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kOddStep = 2;  // after which the last rank believes that it is done

void train(Rank& rank, const Channel& channel, int step) {
  all_reduce(channel, "gradients", static_cast<float>(rank.rank() + step));
  const bool right = read(rank, channel) == sum_over_ranks(rank.world_size(), step);
  rank.report().numbers(right, "sums of small integers, exact");
}

[[gnu::noinline]] void destroy(ncclComm_t communicator) {
  const Label label("shutdown/destroy");
  check(ncclCommDestroy(communicator));
}

void all_done_together(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  for (int step = 0; step < kSteps; ++step) train(rank, channel, step);
  destroy(channel.communicator);
}

void destroy_while_others_train(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  const int steps = rank.is_last() ? kOddStep : kSteps;  // BUG
  for (int step = 0; step < steps; ++step) train(rank, channel, step);
  destroy(channel.communicator);
}

void abort_while_others_train(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  for (int step = 0; step < kSteps; ++step) {
    if (rank.is_last() && step == kOddStep) {
      check(ncclCommAbort(channel.communicator));  // BUG: leaves, and the others never learn of it
      return;
    }
    train(rank, channel, step);
  }
  destroy(channel.communicator);
}

void counts_agreed_first(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  int steps = kSteps;
  // FIX: the fewest of all ranks' steps, over the sockets
  const std::string mine = std::to_string(rank.is_last() ? kOddStep : kSteps);
  for (const std::string& text : rank.rendezvous().exchange(mine)) {
    steps = std::min(steps, std::stoi(text));
  }
  for (int step = 0; step < steps; ++step) train(rank, channel, step);
  destroy(channel.communicator);
}

using Two = std::array<ncclComm_t, 2>;

// Two communicators, in the order in which this rank will close them.
Two open_two(Rank& rank, bool crossed, bool blocking = true) {
  Two both{open_communicator(rank, "first", blocking), open_communicator(rank, "second", blocking)};
  if (crossed && rank.rank() % 2 == 1) std::swap(both[0], both[1]);
  return both;
}

// BUG: odd ranks close the second one first
void destroyed_in_other_order(Rank& rank) {
  for (const ncclComm_t one : open_two(rank, true)) destroy(one);
}

void destroyed_in_same_order(Rank& rank) {
  for (const ncclComm_t one : open_two(rank, false)) destroy(one);  // FIX
}

void finalized_first(Rank& rank) {
  const Two both = open_two(rank, true);
  for (const ncclComm_t one : both) {
    const Label label("shutdown/finalize");
    check(ncclCommFinalize(one));  // waits for the members as well, for the communicator blocks
  }
  for (const ncclComm_t one : both) destroy(one);
}

void finalized_without_blocking(Rank& rank) {
  const Two both = open_two(rank, true, false);
  for (const ncclComm_t one : both) {
    const ncclResult_t result = ncclCommFinalize(one);  // FIX: both are under way before any wait
    if (result != ncclInProgress) check(result);
  }
  for (const ncclComm_t one : both) await_communicator(one);
  for (const ncclComm_t one : both) check(ncclCommDestroy(one));
}

Expectation& others_train(Expectation& whole, int ranks) {
  return whole.culprits({ranks - 1})
      .waiting_in("gradients")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(kFirstSlot + kOddStep)
      .called_from("all_reduce")
      .by(all_but(ranks, ranks - 1));
}
Expectation last_has_closed(int ranks) {
  Expectation whole = deadlock(Cause::missing_rank);
  return others_train(whole, ranks)
      .waiting_in("shutdown/destroy")
      .operation(Operation::comm_destroy)
      .on("world")
      .called_from("destroy")
      .by({ranks - 1});
}
Expectation last_has_gone(int ranks) {
  Expectation whole = deadlock(Cause::rank_exited).or_on(Backend::cuda, Outcome::fails);
  return others_train(whole, ranks);
}

// As many even ranks as odd ones: a cycle. One more: most close the first, and the odd ones do not.
Expectation crossed(int ranks, const char* label) {
  const std::vector<int> odd = ranks_where(ranks, [](int rank) { return rank % 2 == 1; });
  const std::vector<int> even = ranks_where(ranks, [](int rank) { return rank % 2 == 0; });
  Expectation whole = ranks % 2 == 0 ? deadlock(Cause::cycle).culprits(all_ranks(ranks))
                                     : deadlock(Cause::missing_rank).culprits(odd);
  whole.or_on(Backend::cuda, Outcome::completes);  // where NCCL has nothing to wait for
  whole.waiting_in(label).on("first").by(even);
  return whole.waiting_in(label).on("second").by(odd);
}
Expectation crossed_destroy(int ranks) { return crossed(ranks, "shutdown/destroy"); }
Expectation crossed_finalize(int ranks) { return crossed(ranks, "shutdown/finalize"); }
Expectation all_well(int) { return completes(); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "communicators are closed while others use them, or in different order",
    .claims = {},
    .ranks = 4,
    .variants =
        {
            {"all_done_together", Role::control, "all ranks train equally long, then destroy",
             all_done_together, all_well},
            {"destroy_while_others_train", Role::broken, "the last rank destroys two steps early",
             destroy_while_others_train, last_has_closed},
            {"abort_while_others_train", Role::remedy,
             "it aborts instead and leaves: the others still wait", abort_while_others_train,
             last_has_gone},
            {"counts_agreed_first", Role::fix,
             "all ranks take the fewest steps that any of them has", counts_agreed_first, all_well},
            {"destroyed_in_other_order", Role::broken,
             "odd ranks destroy two communicators the other way round", destroyed_in_other_order,
             crossed_destroy},
            {"finalized_first", Role::remedy,
             "both finalized first: the finalize waits as the destroy did", finalized_first,
             crossed_finalize},
            {"destroyed_in_same_order", Role::fix, "one order on all ranks",
             destroyed_in_same_order, all_well},
            {"finalized_without_blocking", Role::fix,
             "communicators that do not block: finalize both, poll, destroy",
             finalized_without_blocking, all_well},
        },
};
