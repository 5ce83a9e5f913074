// A branch leaves layers without a gradient on one rank.
//
// Lesson    DDP sends a bucket when the bucket's last gradient is ready. If one gradient never
//           comes on one rank, that rank never sends this bucket or any bucket after it. DDP's
//           reducer finds out at the rank's next forward, and throws on that rank alone. In the
//           last step there is no next forward, so nobody reports anything.
// Watch     The message ("Expected to have finished reduction in the prior iteration") comes from
//           the rank that took the branch. All others hang in the bucket that holds the first
//           missing gradient.
// Cure      Set find_unused_parameters: a parameter that the loss does not reach is ready at once,
//           with a gradient of zero. That costs a walk over the graph and one more all-reduce in
//           every step, needed or not. It cures a missing gradient, but not a missing backward
//           pass.
// In PyTorch
//     out = self.head(h.detach() if no_text else h)                # bug: no gradient below h
//     model = DistributedDataParallel(model, find_unused_parameters=True)     # cure
//     loss = loss + 0 * sum(p.sum() for p in model.parameters())   # cure: all of them are reached
// Seen in   pytorch#43259, pytorch#16304, open-mmlab/mmdetection#2153

#include "scenarios/scenario.h"
#include "scenarios/training/ddp/unused_finder.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;

// Several buckets: {head's weight}, {… norm, linear, a part of the convolutions}, {the rest}.
constexpr TrainerOptions kOptions{.broadcast_buffers = false};

// A batch without transcripts trains only the head: the encoder's output is detached.
bool is_branch(const Rank& rank, int step, int odd_step) {
  return rank.is_last() && step == odd_step;
}

void train(Rank& rank, int odd_step = -1) {
  Trainer trainer(rank, kOptions);
  for (int step = 0; step < kSteps; ++step) {
    trainer.module().detach(is_branch(rank, step, odd_step));
    trainer.train_on(standard_batch(rank, step));
    // Everything sent so far arrives before any rank ends, so the same bucket hangs in every run.
    rank.wait_for(trainer.world().stream());
  }
  if (odd_step < 0) finish_run(trainer, steps_without(kSteps));
}

void train_finding_unused(Rank& rank, int odd_step = -1) {
  Trainer trainer(rank, kOptions);
  UnusedFinder finder(trainer);
  for (int step = 0; step < kSteps; ++step) {
    trainer.module().detach(is_branch(rank, step, odd_step));
    trainer.forward(standard_batch(rank, step));
    finder.backward();  // FIX: unreached parameters are ready, with gradients of zero
    trainer.finish_step();
  }
  const int last = rank.world_size() - 1;
  finish_run(trainer, steps_without(kSteps), deal_standard, [=](ReferenceStep& all, int step) {
    if (step == odd_step) all.detached = last;
  });
}

void all_used(Rank& rank) { train(rank); }
void finds_nothing(Rank& rank) { train_finding_unused(rank); }

// BUG: the last rank's convolutions get no gradient in one step
void branch_on_one_rank(Rank& rank) { train(rank, kOddStep); }
void branch_in_last_step(Rank& rank) { train(rank, kSteps - 1); }

void find_unused_parameters(Rank& rank) { train_finding_unused(rank, kOddStep); }

void missing_backward(Rank& rank) {
  Trainer trainer(rank, kOptions);
  UnusedFinder finder(trainer);
  for (int step = 0; step < kSteps; ++step) {
    trainer.forward(standard_batch(rank, step));
    if (is_branch(rank, step, kOddStep)) continue;  // BUG: no backward at all: nothing is marked
    finder.backward();
    trainer.finish_step();
  }
}

// Bucket 0 is complete without the encoder, so it is the second one that waits.
Expectation second_bucket_waits(int ranks) {
  return one_has_left(ranks, ranks - 1, TrainingRun{kOptions}.gradients(kOddStep, 1));
}
Expectation second_bucket_waits_at_the_end(int ranks) {
  return one_has_left(ranks, ranks - 1, TrainingRun{kOptions}.gradients(kSteps - 1, 1));
}
// The last rank makes one whole step's calls fewer than the others, the used map included. Over
// sockets, its end takes along what NCCL's host thread had yet to send, so another rank may wait in
// the call before.
Expectation last_step_waits(int ranks) {
  const TrainingRun with_used_map{.options = kOptions, .reports_per_step = 1};
  return one_has_left(ranks, ranks - 1, with_used_map.gradients(kSteps - 1)).loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"all_used", control, "every parameter gets a gradient in every step", all_used},
    {"finds_nothing", control, "find_unused_parameters where nothing is unused: what it costs",
     finds_nothing},
    {"branch_on_one_rank", broken,
     "the last rank trains only the head in one step, and its next forward throws",
     branch_on_one_rank, second_bucket_waits},
    {"branch_in_last_step", broken, "it takes the branch in the last step: nobody throws",
     branch_in_last_step, second_bucket_waits_at_the_end},
    {"missing_backward", remedy,
     "find_unused_parameters where a rank skips the backward pass: it hangs as before",
     missing_backward, last_step_waits},
    {"find_unused_parameters", fix,
     "unreached parameters are ready with zeros, for one more all-reduce a step",
     find_unused_parameters},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a branch leaves layers without a gradient on one rank",
    .claims = {"E6"},
    .variants = kVariants,
};
