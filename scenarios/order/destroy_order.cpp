// Ranks close two communicators in different orders.
//
// Lesson    ncclCommDestroy is a collective of the members on one node. It waits for this rank's
//           work. If members on the node use this rank's memory, it also waits for them to close.
//           So its order matters, as with any other collective.
// Watch     In a language with garbage collection, nobody writes the order down; the destructors
//           decide it. If the communicators are blocking, finalizing first changes nothing: then
//           the finalize waits.
// Cure      Close them in one order on all ranks. Or use non-blocking communicators: finalize all
//           of them, poll until they are finalized, then destroy. Before NCCL 2.27, the finalizes
//           need a group around them.
// In PyTorch
//     del groups                                            # bug: in whatever order that happens
//     dist.barrier(); torch.cuda.synchronize()              # cure: all are done, then
//     dist.destroy_process_group()                          #       all groups go in one order
// Seen in   pytorch#119250 (shutting groups down in one order), NVIDIA/nccl#863

#include <array>
#include <utility>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

[[gnu::noinline]] void destroy(ncclComm_t communicator) {
  const Label label("shutdown/destroy");
  check(ncclCommDestroy(communicator));
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
    check(ncclCommFinalize(one));  // waits for the members: the communicator is blocking
  }
  for (const ncclComm_t one : both) destroy(one);
}

void finalized_without_blocking(Rank& rank) {
  const Two both = train_on_two(rank, true, false);
  for (const ncclComm_t one : both) {
    const ncclResult_t result = ncclCommFinalize(one);  // FIX: both start before any wait
    if (result != ncclInProgress) check(result);
  }
  for (const ncclComm_t one : both) await_communicator(one);
  for (const ncclComm_t one : both) check(ncclCommDestroy(one));
}

// On a GPU it completes if NCCL has nothing to wait for.
Expectation crossed(int ranks, const char* label) {
  return hosts_crossed(ranks, {.label = label, .communicator = "first"},
                       {.label = label, .communicator = "second"})
      .or_on_real_nccl(Outcome::completes);
}
Expectation crossed_destroy(int ranks) { return crossed(ranks, "shutdown/destroy"); }
Expectation crossed_finalize(int ranks) { return crossed(ranks, "shutdown/finalize"); }

// Before 2.27, a thread has one variable for its non-blocking group (ncclGroupJobMain in
// src/group.cc), and the second finalize overwrites what the first one has put there.
Expectation finalize_alone(int) {
  return completes().before(NCCL_VERSION(2, 27, 0), stall(Cause::none)
                                                        .or_on_real_nccl(Outcome::crashes)
                                                        .or_on_real_nccl(Outcome::fails)
                                                        .or_on_real_nccl(Outcome::completes));
}

constexpr Variant kVariants[] = {
    {"destroyed_in_same_order", fix, "one order on all ranks", destroyed_in_same_order},
    {"destroyed_in_other_order", broken, "odd ranks destroy two communicators in the other order",
     destroyed_in_other_order, crossed_destroy},
    {"finalized_first", remedy,
     "both are finalized first, and the finalize waits as the destroy did", finalized_first,
     crossed_finalize},
    {"finalized_without_blocking", fix, "non-blocking communicators: finalize both, poll, destroy",
     finalized_without_blocking, finalize_alone},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks close two communicators in different orders",
    .variants = kVariants,
};
