// Ranks close communicators while others use them, or in different order.
//
// Lesson    ncclCommDestroy is a collective of its node. It waits for this rank's work, and where
//           the members of the node use its memory, for them to close as well. So it has an order
//           like any other collective.
// Watch     Nobody blames the rank that destroys: its work is done, and it waits, too. In a
//           language with garbage collection nobody wrote the order down; the destructors decide
//           it. Finalizing first changes nothing while the communicators block. An abort ends the
//           wait of the rank that leaves, and strands the others: NCCL's guide wants every active
//           rank to call ncclCommAbort.
// Cure      All ranks agree that they are done, then destroy in one order. Or use communicators
//           that do not block: finalize all of them, poll until they are finalized, then destroy.
// In PyTorch
//     if steps_left == 0: dist.destroy_process_group()      # bug: the others are still training
//     del groups                                            # bug: in whatever order that happens
//     dist.barrier(); torch.cuda.synchronize()              # cure: all are done, then
//     dist.destroy_process_group()                          #       all groups go in one order
// Seen in   pytorch#119250 (shutting groups down in one order), vllm#39846 (destroy deadlocks in an
//           uncoordinated shutdown), NVIDIA/nccl#863 (abort needs all ranks of a node)

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kOddStep = 2;  // the last rank believes that it is done before it

[[gnu::noinline]] void destroy(ncclComm_t communicator) {
  const Label label("shutdown/destroy");
  check(ncclCommDestroy(communicator));
}

void train_and_destroy(Rank& rank, int steps) {
  const Channel channel = open_channel(rank, "world");
  for (int step = 0; step < steps; ++step) train_step(rank, channel, step);
  destroy(channel.communicator);
}

// The number of steps that each rank believes in.
int believed_steps(const Rank& rank) { return rank.is_last() ? kOddStep : kSteps; }

void all_done_together(Rank& rank) { train_and_destroy(rank, kSteps); }

void destroy_while_others_train(Rank& rank) {
  train_and_destroy(rank, believed_steps(rank));  // BUG: the last rank is done two steps early
}

void abort_while_others_train(Rank& rank) {
  const Channel channel = open_channel(rank, "world");
  for (int step = 0; step < believed_steps(rank); ++step) train_step(rank, channel, step);
  check(ncclCommAbort(channel.communicator));  // BUG: the others never learn of it
}

void counts_agreed_first(Rank& rank) {
  const std::vector<int> all = rank.rendezvous().exchange(believed_steps(rank));
  train_and_destroy(rank, *std::min_element(all.begin(), all.end()));  // FIX: the fewest
}

using Two = std::array<ncclComm_t, 2>;

// Trains on two communicators. Returns them in the order in which this rank will close them.
Two train_on_two(Rank& rank, bool crossed, bool blocking = true) {
  Two both{open_communicator(rank, "first", blocking), open_communicator(rank, "second", blocking)};
  for (const ncclComm_t one : both) train_step(rank, open_channel(one, rank.stream()), 0);
  if (crossed && rank.rank() % 2 == 1) std::swap(both[0], both[1]);
  return both;
}

// BUG: odd ranks close the second one first
void destroyed_in_other_order(Rank& rank) {
  for (const ncclComm_t one : train_on_two(rank, true)) destroy(one);
}

void destroyed_in_same_order(Rank& rank) {
  for (const ncclComm_t one : train_on_two(rank, false)) destroy(one);  // FIX
}

void finalized_first(Rank& rank) {
  const Two both = train_on_two(rank, true);
  for (const ncclComm_t one : both) {
    const Label label("shutdown/finalize");
    check(ncclCommFinalize(one));  // waits for the members, for the communicator blocks
  }
  for (const ncclComm_t one : both) destroy(one);
}

void finalized_without_blocking(Rank& rank) {
  const Two both = train_on_two(rank, true, false);
  for (const ncclComm_t one : both) {
    const ncclResult_t result = ncclCommFinalize(one);  // FIX: both are under way before any wait
    if (result != ncclInProgress) check(result);
  }
  for (const ncclComm_t one : both) await_communicator(one);
  for (const ncclComm_t one : both) check(ncclCommDestroy(one));
}

const Place kTraining = reduction_at("gradients", in_step(kOddStep));

// On a GPU the last rank is gone by then where NCCL has nothing to wait for.
Expectation last_has_closed(int ranks) {
  return deadlock(Cause::missing_rank)
      .loosely_on(Backend::cuda)
      .culprits({ranks - 1})
      .waiting(all_but(ranks, ranks - 1), kTraining)
      .waiting({ranks - 1}, {"shutdown/destroy", Operation::comm_destroy, "world", {}, "destroy"});
}
Expectation last_has_gone(int ranks) {
  return one_has_left(ranks, ranks - 1, kTraining).or_on(Backend::cuda, Outcome::fails);
}

// On a GPU it completes where NCCL has nothing to wait for.
Expectation crossed(int ranks, const char* label) {
  return hosts_crossed(ranks, {.label = label, .communicator = "first"},
                       {.label = label, .communicator = "second"})
      .or_on(Backend::cuda, Outcome::completes);
}
Expectation crossed_destroy(int ranks) { return crossed(ranks, "shutdown/destroy"); }
Expectation crossed_finalize(int ranks) { return crossed(ranks, "shutdown/finalize"); }

constexpr Variant kVariants[] = {
    {"all_done_together", control, "all ranks train equally long, then destroy", all_done_together},
    {"destroy_while_others_train", broken, "the last rank destroys two steps early",
     destroy_while_others_train, last_has_closed},
    {"abort_while_others_train", remedy, "it aborts and leaves: the others still wait",
     abort_while_others_train, last_has_gone},
    {"counts_agreed_first", fix, "all ranks take the fewest steps of any", counts_agreed_first},
    {"destroyed_in_other_order", broken, "odd ranks destroy two communicators in the other order",
     destroyed_in_other_order, crossed_destroy},
    {"finalized_first", remedy,
     "both are finalized first, and the finalize waits as the destroy did", finalized_first,
     crossed_finalize},
    {"destroyed_in_same_order", fix, "one order on all ranks", destroyed_in_same_order},
    {"finalized_without_blocking", fix,
     "communicators that do not block: finalize both, poll, destroy", finalized_without_blocking},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks close communicators while others use them, or in different order",
    .variants = kVariants,
};
