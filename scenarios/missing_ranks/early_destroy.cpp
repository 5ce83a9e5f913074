// One rank destroys a communicator that the others still use.
//
// Lesson    A rank may leave a communicator only when all its members are done. A rank that
//           destroys it early is missing in the others' next collective.
// Watch     Nobody suspects the rank that destroys, because its work is done. It may even wait like
//           the others: if members on its node use its memory, ncclCommDestroy returns only when
//           they close as well. An abort ends that wait but strands the others: NCCL's guide wants
//           every active rank to call ncclCommAbort.
// Cure      Before any rank destroys, let all ranks agree on the number of steps, or agree that all
//           are done.
// In PyTorch
//     if steps_left == 0: dist.destroy_process_group()      # bug: the others are still training
//     dist.barrier(); torch.cuda.synchronize()              # cure: all are done, then
//     dist.destroy_process_group()                          #       all ranks destroy
// Seen in   vllm#39846 (destroy deadlocks in an uncoordinated shutdown), NVIDIA/nccl#863 (abort
//           needs all ranks of a node)

#include <algorithm>
#include <vector>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kOddStep = 2;  // the last rank believes that it is done before this step

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

const Place kTraining = reduction_at("gradients", in_step(kOddStep));

// On a GPU, the last rank may have ended: NCCL may have nothing to wait for.
Expectation last_has_closed(int ranks) {
  return deadlock(Cause::missing_rank)
      .loosely_on_real_nccl()
      .culprits({ranks - 1})
      .waiting(all_but(ranks, ranks - 1), kTraining)
      .waiting({ranks - 1}, {"shutdown/destroy", Operation::comm_destroy, "world", {}, "destroy"});
}
Expectation last_has_gone(int ranks) {
  // NCCL's abort may itself wait for the node's ranks (ncclProxyService in src/proxy.cc).
  return one_has_left(ranks, ranks - 1, kTraining)
      .or_on_real_nccl(Outcome::fails)
      .loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"all_done_together", control, "all ranks train equally long, then destroy", all_done_together},
    {"destroy_while_others_train", broken, "the last rank destroys two steps early",
     destroy_while_others_train, last_has_closed},
    {"abort_while_others_train", remedy, "it aborts and leaves, and the others still wait",
     abort_while_others_train, last_has_gone},
    {"counts_agreed_first", fix, "all ranks take the fewest steps of any", counts_agreed_first},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank destroys a communicator that the others still use",
    .variants = kVariants,
};
