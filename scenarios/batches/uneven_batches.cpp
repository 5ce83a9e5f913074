// The last rank has one batch fewer than the others, and the loop does not notice.
//
// Lesson    Every step is a collective, so all ranks must take the same number of steps. "My loader
//           is empty" is an answer that only one rank has.
// Watch     What the rank does next decides what happens. If it exits, the others wait for it. If
//           it goes on to validation, its all-reduce pairs with their gradients. If the sizes
//           differ, that hangs. If they are equal, nothing hangs, and the numbers are wrong.
// Cure      Let the sampler give equal counts: it drops the tail or pads it. Or let the ranks agree
//           in the loop when to stop. Or let a rank that is done shadow the others' collectives
//           until they are done too (Join).
// In PyTorch
//     DataLoader(data[rank::world_size])                      # bug: lengths differ by one
//     DistributedSampler(data, drop_last=True)                # cure: drops the tail (or pads it)
//     with Join([model]):                                     # cure: who is done shadows the rest
//         for x, y in loader: loss_fn(model(x), y).backward(); optimizer.step()
// Seen in   pytorch#33148 (which led to Join), snowfall#152, Lightning#9851

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/data/sampler.h"
#include "scenarios/training/ddp/any_rank.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 9;  // of every rank but the last, which has one less
constexpr int kManyRanks = 1024;

int even(int ranks) { return ranks * kSteps; }
int one_short(int ranks) { return ranks * kSteps - 1; }

// Trains on the rank's samples, one a step. Returns the number of steps.
int train(Trainer& trainer, Tail tail, int (*samples)(int ranks) = one_short) {
  const Rank& rank = trainer.rank();
  const auto mine =
      sample_indices(samples(rank.world_size()), rank.world_size(), rank.rank(), tail);
  for (const int sample : mine) trainer.train_on(batch_of_samples({sample}));
  return static_cast<int>(mine.size());
}

// Checks the numbers against the batches that all ranks should have seen in `steps` steps. Closes
// the trainer.
void verify(Trainer& trainer, Tail tail, int steps, bool divide_by_active = false,
            int (*samples)(int ranks) = one_short) {
  const int ranks = trainer.rank().world_size();
  verify_training(
      trainer, steps,
      [=](int step) {
        ReferenceStep all;
        for (int rank = 0; rank < ranks; ++rank) {
          auto mine = sample_indices(samples(ranks), ranks, rank, tail);
          const bool has = step < static_cast<int>(mine.size());
          mine = has ? std::vector{mine[static_cast<std::size_t>(step)]} : std::vector<int>{};
          all.batches.push_back(batch_of_samples(mine));
          if (has && divide_by_active) ++all.divisor;
        }
        return all;
      },
      2e-5);
  trainer.close();
}

// Validation: an all-reduce of a metric per batch, `bins` floats, read by the host.
void validate(Trainer& trainer, int batches, int bins) {
  const Label label("validation/metric");
  ProcessGroup& world = trainer.world();
  const Buffer<float> metric(static_cast<std::size_t>(bins), trainer.rank().stream());
  for (int batch = 0; batch < batches; ++batch) {
    check(kernels::launch_fill(metric.data(), bins, 1.0F, trainer.rank().stream()));
    world.after_compute();
    check(ncclAllReduce(metric.data(), metric.data(), metric.size(), ncclFloat32, ncclSum,
                        world.communicator(), world.stream()));
    world.compute_waits();
    trainer.rank().wait_for(trainer.rank().stream());
  }
}

void even_batches(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  const int steps = train(trainer, Tail::uneven, even);
  verify(trainer, Tail::uneven, steps, false, even);
}

void peers_leave(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, Tail::uneven);  // BUG: the last rank's loop ends first, and its process with it
}

// Each rank validates on what it did not train on, so the last rank has one validation batch more.
// All ranks make the same number of calls; only the pairing is wrong.
void move_on(Rank& rank, int bins) {
  Trainer trainer(rank, one_bucket());
  const int steps = train(trainer, Tail::uneven);
  validate(trainer, 2 + kSteps - steps, bins);  // BUG: the others are still training
  verify(trainer, Tail::uneven, kSteps);
}

// An error histogram with as many bins as the bucket has floats. In practice this is a coincidence.
void peers_move_on(Rank& rank) { move_on(rank, parameter_total(ModelShape{})); }

void peers_move_on_other_shape(Rank& rank) { move_on(rank, 1); }

void drop_last(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  const int steps = train(trainer, Tail::drop);  // FIX: the sampler leaves the remainder out
  rank.report().figure("samples_lost", one_short(rank.world_size()) - steps * rank.world_size());
  verify(trainer, Tail::drop, steps);
}

void padding_sampler(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  const int steps = train(trainer, Tail::pad);  // FIX: the sampler wraps around
  rank.report().figure("samples_seen_twice",
                       steps * rank.world_size() - one_short(rank.world_size()));
  verify(trainer, Tail::pad, steps);
}

void join(Rank& rank) {
  TrainerOptions options = one_bucket();
  options.join = true;
  Trainer trainer(rank, options);
  train(trainer, Tail::uneven);
  trainer.join();  // FIX: shadows the others with zeros; the mean is over the active ranks
  verify(trainer, Tail::uneven, kSteps, true);
}

void stop_together(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  const int ranks = rank.world_size();
  const auto mine = sample_indices(one_short(ranks), ranks, rank.rank(), Tail::uneven);
  std::size_t step = 0;
  // FIX: all ranks go on, or none does
  while (all_of_ranks(trainer.world(), step < mine.size(), "loop/has_next")) {
    trainer.train_on(batch_of_samples({mine[step++]}));
  }
  rank.report().figure("samples_lost", one_short(ranks) - static_cast<int>(step) * ranks);
  verify(trainer, Tail::drop, static_cast<int>(step));
}

// The gradients of the step that the last rank does not have.
const Place kLastGradients = TrainingRun{}.gradients(kSteps - 1);
const Place kMetric = in_slot_of(kLastGradients, {.label = "validation/metric",
                                                  .operation = Operation::all_reduce,
                                                  .communicator = "world",
                                                  .caller = "validate"});

Expectation others_wait_for_the_last(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, kLastGradients);
}
Expectation sizes_disagree(int ranks) {
  return calls_differ(ranks, ranks - 1, kMetric, kLastGradients);
}

// Nothing waits. The record shows which calls were paired wrongly first.
Expectation wrong_numbers(int ranks) {
  return corrupts(Cause::mismatch)
      .culprits(fewer_or_all(ranks, {ranks - 1}))
      .waiting(all_but(ranks, ranks - 1), kLastGradients)
      .waiting({ranks - 1}, kMetric);
}

constexpr Variant kVariants[] = {
    {"even_batches", control,
     "the same loop with equal counts: what the cures' cost is compared with", even_batches,
     all_well, 2, kManyRanks},
    {"peers_leave", broken, "the last rank leaves the loop and exits", peers_leave,
     others_wait_for_the_last},
    {"peers_move_on", broken, "it goes on to validation, whose all-reduce has the gradients' size",
     peers_move_on, wrong_numbers},
    {"peers_move_on_other_shape", broken,
     "it goes on to validation, whose all-reduce has another size", peers_move_on_other_shape,
     sizes_disagree},
    {"drop_last", fix, "the sampler drops the remainder: equal counts, and some samples are lost",
     drop_last, all_well, 2, kManyRanks},
    {"padding_sampler", fix, "the sampler wraps around: some samples are seen twice",
     padding_sampler, all_well, 2, kManyRanks},
    {"join", fix, "a rank that is done shadows the others' collectives with zeros", join, all_well,
     2, kManyRanks},
    {"stop_together", fix,
     "an all-reduce of \"has next\" in each step: all stop when the first is done", stop_together,
     all_well, 2, kManyRanks},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the last rank runs out of batches one step before the others",
    .claims = {"C3", "C6", "D7"},
    .variants = kVariants,
};
