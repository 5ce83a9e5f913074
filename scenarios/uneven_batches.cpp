// The last rank has one batch less than the others, and the loop does not know.
//
// Lesson    Every step is a collective, so the number of steps must be the same on all ranks.
//           "My loader is empty" is an answer that only one rank has.
// Watch     What happens depends on what the rank does next. If it exits, the others wait for it.
//           If it goes on to validation, its all-reduce pairs with their gradients: when the sizes
//           differ that hangs, when they agree nothing hangs and the numbers are wrong.
// Cure      Equal counts from the sampler (drop the tail, or pad it), or a loop that agrees when to
//           stop, or ranks that shadow the others' collectives when they are done (Join).
// Seen in   pytorch#33148 (which led to Join), snowfall#152, Lightning#9851

#include "kernels/gradients.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/any_rank.h"
#include "scenarios/training/sampler.h"
#include "scenarios/training/verify.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 9;            // of every rank but the last, which has one less
constexpr double kTolerance = 2e-5;  // float32 against float64, a handful of SGD steps
constexpr int kParameters = parameter_total(ModelShape{});

// One bucket, and no buffers on the wire, so that it is plain which call pairs with which.
TrainerOptions options(bool join = false) {
  return {.broadcast_buffers = false, .buckets = {.first = kParameters}, .join = join};
}

int even(int ranks) { return ranks * kSteps; }
int one_short(int ranks) { return ranks * kSteps - 1; }

Dataset dataset() {
  return {ModelShape{}.features, ModelShape{}.outputs, [](int sample) { return 24 + sample % 8; }};
}

// Trains on the rank's samples, one a step. Returns the number of steps.
int train(Trainer& trainer, Tail tail, int (*samples)(int ranks) = one_short) {
  Rank& rank = trainer.rank();
  const Dataset data = dataset();
  const auto mine =
      sample_indices(samples(rank.world_size()), rank.world_size(), rank.rank(), tail);
  for (const int sample : mine) trainer.train_on(data.batch({sample}));
  return static_cast<int>(mine.size());
}

// What all ranks' batches should have been, for `steps` steps.
void verify(Trainer& trainer, Tail tail, int steps, bool divide_by_active = false,
            int (*samples)(int ranks) = one_short) {
  const int ranks = trainer.rank().world_size();
  verify_training(
      trainer, steps,
      [=](int step) {
        ReferenceStep all;
        for (int rank = 0; rank < ranks; ++rank) {
          const auto mine = sample_indices(samples(ranks), ranks, rank, tail);
          const bool has = step < static_cast<int>(mine.size());
          all.batches.push_back(dataset().batch(
              has ? std::vector<int>{mine[static_cast<std::size_t>(step)]} : std::vector<int>{}));
          if (has && divide_by_active) ++all.divisor;
        }
        return all;
      },
      kTolerance);
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
  Trainer trainer(rank, options());
  const int steps = train(trainer, Tail::uneven, even);
  verify(trainer, Tail::uneven, steps, false, even);
  trainer.close();
}

void peers_leave(Rank& rank) {
  Trainer trainer(rank, options());
  train(trainer, Tail::uneven);  // BUG: the last rank's loop ends first, and its process with it
}

// Each rank validates on what it did not train on, so the last rank has one validation batch more:
// the numbers of calls agree, only the pairs are wrong.
void move_on(Rank& rank, int bins) {
  Trainer trainer(rank, options());
  const int steps = train(trainer, Tail::uneven);
  validate(trainer, 2 + kSteps - steps, bins);  // BUG: while the others are still training
  verify(trainer, Tail::uneven, kSteps);
}

// An error histogram with as many bins as the bucket has floats. In the field this is chance.
void peers_move_on(Rank& rank) { move_on(rank, kParameters); }

void peers_move_on_other_shape(Rank& rank) { move_on(rank, 1); }

void drop_last(Rank& rank) {
  Trainer trainer(rank, options());
  const int steps = train(trainer, Tail::drop);  // FIX: the sampler leaves the remainder out
  rank.report().figure("samples_lost", one_short(rank.world_size()) - steps * rank.world_size());
  verify(trainer, Tail::drop, steps);
  trainer.close();
}

void padding_sampler(Rank& rank) {
  Trainer trainer(rank, options());
  const int steps = train(trainer, Tail::pad);  // FIX: the sampler wraps around
  rank.report().figure("samples_seen_twice",
                       steps * rank.world_size() - one_short(rank.world_size()));
  verify(trainer, Tail::pad, steps);
  trainer.close();
}

void join(Rank& rank) {
  Trainer trainer(rank, options(true));
  train(trainer, Tail::uneven);
  trainer.join();  // FIX: shadows the others' all-reduces with zeros; the mean is over the active
  verify(trainer, Tail::uneven, kSteps, true);
  trainer.close();
}

void stop_together(Rank& rank) {
  Trainer trainer(rank, options());
  const int ranks = rank.world_size();
  const Dataset data = dataset();
  const auto mine = sample_indices(one_short(ranks), ranks, rank.rank(), Tail::uneven);
  std::size_t step = 0;
  // FIX: all go on, or none
  while (all_of_ranks(trainer.world(), step < mine.size(), "loop/has_next")) {
    trainer.train_on(data.batch({mine[step++]}));
  }
  rank.report().figure("samples_lost", one_short(ranks) - static_cast<int>(step) * ranks);
  verify(trainer, Tail::drop, static_cast<int>(step));
  trainer.close();
}

// The slot at which the others train and the last rank does not.
int odd_slot() { return Wire{options()}.begin(kSteps - 1); }

Expectation others_wait_for_the_last(int ranks) {
  return deadlock(Cause::rank_exited)
      .culprits({ranks - 1})
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(odd_slot())
      .called_from("launch_bucket")
      .by(all_but(ranks, ranks - 1));
}

Expectation sizes_disagree(int ranks) {
  return deadlock(Cause::mismatch)
      .or_on(Backend::cuda, Outcome::fails)
      .or_on(Backend::cuda, Outcome::crashes)
      .or_on(Backend::cuda, Outcome::corrupts)
      .culprits(fewer_or_all(ranks, {ranks - 1}))
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(odd_slot())
      .called_from("launch_bucket")
      .by(all_but(ranks, ranks - 1))
      .waiting_in("validation/metric")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(odd_slot())
      .called_from("validate")
      .by({ranks - 1});
}

// Nothing waits; the record shows which calls were taken for each other first.
Expectation wrong_numbers(int ranks) {
  return corrupts(Cause::mismatch)
      .culprits(fewer_or_all(ranks, {ranks - 1}))
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(odd_slot())
      .by(all_but(ranks, ranks - 1))
      .waiting_in("validation/metric")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(odd_slot())
      .by({ranks - 1});
}

Expectation all_well(int) { return completes(); }

constexpr int kManyRanks = 1024;

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the last rank runs out of batches one step before the others",
    .claims = {"C3", "C6", "D7"},
    .ranks = 4,
    .variants =
        {
            {.name = "even_batches",
             .role = Role::control,
             .summary = "the same loop with equal counts: what the cures' cost is measured against",
             .run = even_batches,
             .expect = all_well,
             .max_ranks = kManyRanks},
            {.name = "peers_leave",
             .role = Role::broken,
             .summary = "the last rank leaves the loop and exits",
             .run = peers_leave,
             .expect = others_wait_for_the_last},
            {.name = "peers_move_on",
             .role = Role::broken,
             .summary = "it goes on to validation, whose all-reduce has the gradients' size",
             .run = peers_move_on,
             .expect = wrong_numbers},
            {.name = "peers_move_on_other_shape",
             .role = Role::broken,
             .summary = "it goes on to validation, whose all-reduce has another size",
             .run = peers_move_on_other_shape,
             .expect = sizes_disagree},
            {.name = "drop_last",
             .role = Role::fix,
             .summary = "the sampler drops the remainder: equal counts, some samples lost",
             .run = drop_last,
             .expect = all_well,
             .max_ranks = kManyRanks},
            {.name = "padding_sampler",
             .role = Role::fix,
             .summary = "the sampler wraps around: equal counts, some samples seen twice",
             .run = padding_sampler,
             .expect = all_well,
             .max_ranks = kManyRanks},
            {.name = "join",
             .role = Role::fix,
             .summary = "a rank that is done shadows the others' collectives with zeros",
             .run = join,
             .expect = all_well,
             .max_ranks = kManyRanks},
            {.name = "stop_together",
             .role = Role::fix,
             .summary =
                 "an all-reduce of \"has next\" in each step: all stop when the first is done",
             .run = stop_together,
             .expect = all_well,
             .max_ranks = kManyRanks},
        },
};
