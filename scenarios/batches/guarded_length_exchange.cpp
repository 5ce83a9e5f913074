// Only the ranks that need a longer buffer ask all ranks for the longest length.
//
// Lesson    An encoder that asks all ranks for the longest sequence has made its forward a
//           collective. From then on all ranks must ask in every forward, or none may. With "only
//           when mine is longer", some ranks ask and others do not. If one rank alone runs a
//           forward, it asks and nobody answers.
// Watch     On the gradients' communicator, the question pairs with the others' gradients. On its
//           own communicator, the ranks that ask wait there, and the others wait for them in the
//           gradient all-reduce. Nothing hangs before the first long sequence.
// Cure      All ranks ask in every forward, needed or not. Or take the longest length from the data
//           set's metadata before training. Or never ask (see uneven_sequence_lengths).
// In PyTorch
//     if length > self.longest: dist.all_reduce(length, op=dist.ReduceOp.MAX)    # bug: some ask
//     dist.all_reduce(length, op=dist.ReduceOp.MAX)            # cure: all, in every forward
//     self.set_max_audio_length(length.item())
// Seen in   NeMo Speech#3304 (the all-reduce, December 2021)

#include <algorithm>
#include <functional>

#include "scenarios/scenario.h"
#include "scenarios/training/runs/places.h"
#include "scenarios/training/runs/uneven_lengths.h"

using namespace gridlock;
using namespace gridlock::uneven;

namespace {

void guarded_step(Trainer& trainer, ProcessGroup& group, const Batch& sequences) {
  step_with(trainer, sequences, [&](Positions& positions, int mine) {
    // BUG: only ranks that need a longer buffer ask
    if (mine > positions.length()) positions.grow_to(longest_of_all(group, mine));
  });
}

void guarded_all_reduce(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step)
    guarded_step(trainer, trainer.world(), batch(rank, step));
}

void guarded_own_communicator(Rank& rank) {
  Trainer trainer(rank, options());
  ProcessGroup lengths(rank, "lengths");
  longest_of_all(lengths, 0);  // connects the ranks, so that only the guard can hang
  // Loads the kernels for long sequences now: a GPU that loads a kernel may wait for all running
  // work.
  trainer.module().forward(batch(rank, kLongStep));
  trainer.module().backward([](int) {});
  for (int step = 0; step < kSteps; ++step) guarded_step(trainer, lengths, batch(rank, step));
}

void encoder_on_some_ranks(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0 && step == kLongStep) {
      // BUG: one rank validates a sample, and its encoder asks all ranks
      const Batch sample = batch(rank, 0);
      trainer.module().positions().grow_to(longest_of_all(trainer.world(), sample.time));
      trainer.module().forward(sample);
    }
    step_asking_all(trainer, batch(rank, step));
  }
}

void exchanged(Rank& rank) { run_asking_all(rank); }
void unconditional_call(Rank& rank) { run_asking_all(rank); }  // FIX: the guard is gone

void precomputed_maximum(Rank& rank) {
  Trainer trainer(rank, options());
  // FIX: one call before training, on the lengths in the metadata of this rank's share
  int longest = 0;
  for (int step = 0; step < kSteps; ++step) longest = std::max(longest, length(rank.rank(), step));
  trainer.module().positions().grow_to(longest_of_all(trainer.world(), longest));
  for (int step = 0; step < kSteps; ++step) trainer.train_on(batch(rank, step));
  finish(trainer);
}

const TrainingRun kGuarded{.options = options()};
const TrainingRun kAsking{.options = options(), .asks_per_step = 1};

// The ranks whose sequence exceeds the buffer wait for the others, and the others for them.
Expectation long_against_short(Expectation whole, int ranks, const Place& longer) {
  const std::vector<int> long_ranks = ranks_where(ranks, exceeds);
  return whole.culprits(fewer_or_all(ranks, long_ranks))
      .waiting(long_ranks, longer)
      .waiting(ranks_where(ranks, std::not_fn(exceeds)), kGuarded.gradients(kLongStep));
}

Expectation length_meets_gradients(int ranks) {
  return long_against_short(mismatched({}), ranks,
                            kGuarded.asks(kLongStep, value("encoder/max_length")));
}

Expectation callers_wait_apart(int ranks) {
  return long_against_short(deadlock(ranks == 2 ? Cause::cycle : Cause::missing_rank), ranks,
                            value("encoder/max_length", "lengths", 1));
}

Expectation rank_zero_asks_once_more(int ranks) {
  return calls_differ(ranks, 0, value("encoder/max_length"), kAsking.buffers(kLongStep));
}

constexpr Variant kVariants[] = {
    {"exchanged", control, "all ranks ask in every forward", exchanged, all_well, 2, kManyRanks},
    {"guarded_all_reduce", broken,
     "only ranks that need a longer buffer ask, on the gradients' communicator", guarded_all_reduce,
     length_meets_gradients},
    {"guarded_own_communicator", broken,
     "they ask on a separate communicator: those that ask wait there", guarded_own_communicator,
     callers_wait_apart},
    {"encoder_on_some_ranks", broken,
     "all ranks ask, but rank 0 runs the encoder once more for a validation sample",
     encoder_on_some_ranks, rank_zero_asks_once_more},
    {"unconditional_call", fix, "the guard is taken out: all ranks ask in every forward",
     unconditional_call, all_well, 2, kManyRanks},
    {"precomputed_maximum", fix,
     "the longest length comes from metadata, in one call before training", precomputed_maximum,
     all_well, 2, kManyRanks},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "only ranks that need a longer buffer ask all ranks for the longest length",
    .claims = {"D1"},
    .variants = kVariants,
};
