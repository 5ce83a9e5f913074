// Ranks see sequences of different lengths, and the encoder grows its positional buffer to fit.
//
// Lesson    How long a sequence is, only one rank knows. An encoder that wants a buffer of the same
//           size everywhere must ask all ranks in every forward, which makes its forward a
//           collective, or must not need the answer. Asking "only when mine is longer" asks on some
//           ranks and not on others.
// Watch     Different lengths alone never break the gradients, whose sizes are fixed; they make the
//           early ranks wait. What breaks is a buffer that DDP broadcasts at each rank's own size,
//           or a length all-reduce that pairs with somebody's gradients.
// Cure      All ranks ask, always; or nobody does (sync_max_audio_length=False; the price is memory
//           that differs by rank); or the longest length is known before training.
// In PyTorch
//     if length > self.longest: dist.all_reduce(length, op=dist.ReduceOp.MAX)    # bug: some ask
//     dist.all_reduce(length, op=dist.ReduceOp.MAX)            # cure: all, in every forward
//     self.set_max_audio_length(length.item())
//     ConformerEncoder(..., sync_max_audio_length=False)       # cure: nobody asks (NeMo)
// Seen in   NeMo Speech#3304 (the all-reduce, December 2021; sync_max_audio_length came later)

#include <algorithm>
#include <ctime>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/loader_worker.h"
#include "scenarios/training/places.h"
#include "scenarios/training/verify.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kLongStep = 2;  // sequences are half as long before it
constexpr int kFullLength[] = {1000, 2000, 1500, 1800};
constexpr int kConfigured = 1800;  // the buffer's first length (pos_emb_max_len)
constexpr int kManyRanks = 64;

int length(int rank, int step) {
  return step < kLongStep ? kFullLength[rank % 4] / 2 : kFullLength[rank % 4];
}
bool exceeds(int rank) { return kFullLength[rank % 4] > kConfigured; }

constexpr ModelShape kShape{.features = 2, .channels = 4, .outputs = 2};

TrainerOptions options(bool positions_are_buffers = false) {
  return {.shape = kShape,
          .positions_are_buffers = positions_are_buffers,
          .positions = kConfigured,
          .buckets = {.first = 8, .others = 64}};
}

Batch batch(int ranks, int rank, int step) {
  const Dataset data(kShape.features, kShape.outputs,
                     [=](int sample) { return length(sample % ranks, sample / ranks); });
  return data.batch({step * ranks + rank});
}
Batch batch(Rank& rank, int step) { return batch(rank.world_size(), rank.rank(), step); }

void verify(Trainer& trainer, int steps = kSteps) {
  const int ranks = trainer.rank().world_size();
  verify_training(
      trainer, steps,
      [ranks](int step) {
        ReferenceStep all;
        for (int rank = 0; rank < ranks; ++rank) all.batches.push_back(batch(ranks, rank, step));
        return all;
      },
      5e-5);
  report_over_ranks(trainer.rank(), "bytes_per_rank", "",
                    static_cast<double>(trainer.module().positions().bytes()));
  trainer.close();
}

// The longest length of any rank: one all-reduce, then the host reads it.
//   Collective, Blocks  until all ranks have called it
int longest_of_all(ProcessGroup& group, int mine) {
  const Label label("encoder/max_length");
  return group.reduce_on_host(mine, ncclMax);
}

// One step; `grow` sees to the buffer at the encoder's beginning. DDP's broadcast comes before it.
template <typename Grow>
void step_with(Trainer& trainer, const Batch& sequences, Grow grow) {
  trainer.forward(sequences, [&] { grow(trainer.module().positions(), sequences.time); });
  trainer.backward();
  trainer.step();
  trainer.loss_item();
  trainer.rank().report().step_done();
}

// All ranks ask, in every step.
void unconditional_step(Trainer& trainer, const Batch& sequences) {
  step_with(trainer, sequences, [&](Positions& positions, int mine) {
    positions.grow_to(longest_of_all(trainer.world(), mine));
  });
}

void local_buffers(Rank& rank) {
  Trainer trainer(rank, options(true));
  for (int step = 0; step < kSteps; ++step) {
    step_with(trainer, batch(rank, step), [](Positions& positions, int mine) {
      // BUG: twice this rank's own length; the next forward broadcasts it at that size
      if (mine > positions.length()) positions.grow_to(2 * mine);
    });
  }
}

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
  longest_of_all(lengths, 0);  // connected and warm, so that the question is the guard's alone
  // So are the kernels for long sequences: a GPU that loads one may wait for all that runs on it.
  trainer.module().forward(batch(rank, kLongStep));
  trainer.module().backward([](int) {});
  for (int step = 0; step < kSteps; ++step) guarded_step(trainer, lengths, batch(rank, step));
}

void encoder_on_some_ranks(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0 && step == kLongStep) {
      // BUG: a validation sample on one rank; the encoder asks everyone for its length
      const Batch sample = batch(rank, 0);
      trainer.module().positions().grow_to(longest_of_all(trainer.world(), sample.time));
      trainer.module().forward(sample);
    }
    unconditional_step(trainer, batch(rank, step));
  }
}

// FIX: every rank asks in every forward, needed or not
void unconditional(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) unconditional_step(trainer, batch(rank, step));
  report_over_ranks(rank, "host_wait", "_us", rank.report().median_wait_us());
  verify(trainer);
}

// A step takes about half a millisecond; the last rank's loader 10 times that, then 100 times.
void slow_rank(Rank& rank) {
  constexpr timespec kTenTimes{.tv_sec = 0, .tv_nsec = 5'000'000};
  constexpr timespec kHundredTimes{.tv_sec = 0, .tv_nsec = 50'000'000};
  constexpr int kStepsEach = 3;
  Trainer trainer(rank, options());
  int step = 0;
  const auto phase = [&](const timespec* loading, const char* figure) {
    rank.report().forget_steps();
    for (int i = 0; i < kStepsEach; ++i, ++step) {
      if (rank.is_last() && loading != nullptr) nanosleep(loading, nullptr);
      unconditional_step(trainer, batch(rank, step));
    }
    report_over_ranks(rank, figure, "_us", rank.report().median_wait_us());
  };
  phase(nullptr, "wait");
  phase(&kTenTimes, "wait_10x");
  phase(&kHundredTimes, "wait_100x");
  verify(trainer, step);
}

void stuck_rank(Rank& rank) {
  Trainer trainer(rank, options());
  // BUG: the last rank's loader worker reads from storage that never answers
  LoaderWorker worker(rank.is_last() ? Storage::hangs : Storage::works, kLongStep);
  for (int step = 0; step < kSteps; ++step) {
    worker.fetch(step);
    unconditional_step(trainer, batch(rank, step));
  }
}

void sync_off(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    step_with(trainer, batch(rank, step), [](Positions& positions, int mine) {
      // FIX: each rank's own buffer, which DDP does not know and does not broadcast
      if (mine > positions.length()) positions.grow_to(2 * mine);
    });
  }
  verify(trainer);
}

void precomputed_maximum(Rank& rank) {
  Trainer trainer(rank, options());
  // FIX: one call before training, over what the data set's metadata says of this rank's share
  int longest = 0;
  for (int step = 0; step < kSteps; ++step) longest = std::max(longest, length(rank.rank(), step));
  trainer.module().positions().grow_to(longest_of_all(trainer.world(), longest));
  for (int step = 0; step < kSteps; ++step) trainer.train_on(batch(rank, step));
  verify(trainer);
}

int plain_backward() { return Wire{options()}.backward(kLongStep); }
const Wire kAsking{options(), 1};  // with the length all-reduce in each step

// Those with a longer sequence than the buffer against the others.
Expectation long_against_short(Expectation whole, int ranks, const Place& longer,
                               const Place& others) {
  const std::vector<int> long_ranks = ranks_where(ranks, exceeds);
  return whole.culprits(fewer_or_all(ranks, long_ranks))
      .waiting(long_ranks, longer)
      .waiting(ranks_where(ranks, [](int rank) { return !exceeds(rank); }), others);
}

// Those whose buffer has rank 0's size get it, and go on to their gradients, where the others miss.
Expectation sizes_of_buffers_differ(int ranks) {
  const int slot = Wire{options()}.forward(kLongStep + 1);
  return long_against_short(mismatched({}), ranks, buffers_at(slot - 1), gradients_at(slot));
}

Expectation length_meets_gradients(int ranks) {
  return long_against_short(mismatched({}), ranks, value_at("encoder/max_length", plain_backward()),
                            gradients_at(plain_backward()));
}

Expectation callers_wait_apart(int ranks) {
  return long_against_short(deadlock(ranks == 2 ? Cause::cycle : Cause::missing_rank), ranks,
                            value_at("encoder/max_length", 1, "lengths"),
                            gradients_at(plain_backward()));
}

Expectation rank_zero_asks_once_more(int ranks) {
  const int slot = kAsking.begin(kLongStep);
  return calls_differ(ranks, 0, value_at("encoder/max_length", slot), buffers_at(slot));
}

Expectation last_is_stuck(int ranks) {
  return one_is_stuck(ranks, ranks - 1, value_at("encoder/max_length", kAsking.forward(kLongStep)));
}

constexpr Variant kVariants[] = {
    {"unconditional", control,
     "all ranks exchange their lengths, which differ: the early ones wait, no more", unconditional,
     all_well, 2, kManyRanks},
    {"slow_rank", control,
     "the last rank is 10 times, then 100 times slower: the others wait for it", slow_rank,
     all_well, 2, kManyRanks},
    {"local_buffers", broken,
     "no exchange: buffers grow to each rank's own length, and DDP broadcasts them", local_buffers,
     sizes_of_buffers_differ},
    {"guarded_all_reduce", broken,
     "only ranks that need a longer buffer ask, on the gradients' communicator", guarded_all_reduce,
     length_meets_gradients},
    {"guarded_own_communicator", broken,
     "the same guard on a communicator of its own: the callers wait there",
     guarded_own_communicator, callers_wait_apart},
    {"encoder_on_some_ranks", broken,
     "all ranks ask, but rank 0 runs the encoder once more for a validation sample",
     encoder_on_some_ranks, rank_zero_asks_once_more},
    {"stuck_rank", broken, "the last rank never leaves its loader: all others wait for its length",
     stuck_rank, last_is_stuck},
    {"sync_off", fix, "no exchange and nothing broadcast: memory differs by rank", sync_off,
     all_well, 2, kManyRanks},
    {"unconditional_call", fix, "the guard is taken out: all ranks ask in every forward",
     unconditional, all_well, 2, kManyRanks},
    {"precomputed_maximum", fix,
     "the longest length comes from metadata, in one call before training", precomputed_maximum,
     all_well, 2, kManyRanks},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the encoder grows its buffer to the longest sequence, which only one rank knows",
    .claims = {"D1", "D2", "D3", "D4", "D5"},
    .variants = kVariants,
};
