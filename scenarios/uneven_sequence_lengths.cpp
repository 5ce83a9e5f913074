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
// Seen in   NeMo Speech#3304 (the all-reduce, December 2021; sync_max_audio_length came later)

#include <ctime>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/loader_worker.h"
#include "scenarios/training/verify.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kLongStep = 2;  // sequences are half as long before it
constexpr int kFullLength[] = {1000, 2000, 1500, 1800};
constexpr int kConfigured = 1800;  // the buffer's first length (pos_emb_max_len)
constexpr double kTolerance = 5e-5;

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
      kTolerance);
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

std::vector<int> long_ranks(int ranks) { return ranks_where(ranks, exceeds); }
std::vector<int> other_ranks(int ranks) {
  return ranks_where(ranks, [](int rank) { return !exceeds(rank); });
}

const Wire kPlain{options()};
const Wire kAsking{options(), 1};  // with the length all-reduce in each step

Expectation mismatched(std::vector<int> culprits) {
  return deadlock(Cause::mismatch)
      .or_on(Backend::cuda, Outcome::fails)
      .or_on(Backend::cuda, Outcome::crashes)
      .or_on(Backend::cuda, Outcome::corrupts)
      .culprits(std::move(culprits));
}

// Those whose buffer has rank 0's size get it, and go on to their gradients, where the others miss.
Expectation sizes_of_buffers_differ(int ranks) {
  const int slot = kPlain.forward(kLongStep + 1) - 1;
  return mismatched(fewer_or_all(ranks, long_ranks(ranks)))
      .waiting_in("buffers/broadcast")
      .operation(Operation::broadcast)
      .on("world")
      .at_slot(slot)
      .called_from("broadcast_buffers")
      .by(long_ranks(ranks))
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(slot + 1)
      .called_from("launch_bucket")
      .by(other_ranks(ranks));
}

Expectation length_meets_gradients(int ranks) {
  const int slot = kPlain.backward(kLongStep);
  return mismatched(fewer_or_all(ranks, long_ranks(ranks)))
      .waiting_in("encoder/max_length")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(slot)
      .by(long_ranks(ranks))
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(slot)
      .called_from("launch_bucket")
      .by(other_ranks(ranks));
}

Expectation callers_wait_apart(int ranks) {
  Expectation whole = ranks == 2 ? deadlock(Cause::cycle) : deadlock(Cause::missing_rank);
  return whole.culprits(fewer_or_all(ranks, long_ranks(ranks)))
      .waiting_in("encoder/max_length")
      .operation(Operation::all_reduce)
      .on("lengths")
      .at_slot(1)
      .by(long_ranks(ranks))
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(kPlain.backward(kLongStep))
      .called_from("launch_bucket")
      .by(other_ranks(ranks));
}

Expectation rank_zero_asks_once_more(int ranks) {
  return mismatched(fewer_or_all(ranks, {0}))
      .waiting_in("encoder/max_length")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(kAsking.begin(kLongStep))
      .by({0})
      .waiting_in("buffers/broadcast")
      .operation(Operation::broadcast)
      .on("world")
      .at_slot(kAsking.begin(kLongStep))
      .called_from("broadcast_buffers")
      .by(all_but(ranks, 0));
}

Expectation last_is_stuck(int ranks) {
  return stall(Cause::host_stuck)
      .culprits({ranks - 1})
      .waiting_in("encoder/max_length")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(kAsking.forward(kLongStep))
      .by(all_but(ranks, ranks - 1));
}

Expectation all_well(int) { return completes(); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the encoder grows its buffer to the longest sequence, which only one rank knows",
    .claims = {"D1", "D2", "D3", "D4", "D5"},
    .ranks = 4,
    .variants =
        {
            {.name = "unconditional",
             .role = Role::control,
             .summary =
                 "all ranks exchange their lengths, which differ: the early ones wait, no more",
             .run = unconditional,
             .expect = all_well,
             .max_ranks = 64},
            {.name = "slow_rank",
             .role = Role::control,
             .summary = "the last rank is 10 times, then 100 times slower: the others wait for it",
             .run = slow_rank,
             .expect = all_well,
             .max_ranks = 64},
            {.name = "local_buffers",
             .role = Role::broken,
             .summary =
                 "no exchange: buffers grow to each rank's own length, and DDP broadcasts them",
             .run = local_buffers,
             .expect = sizes_of_buffers_differ},
            {.name = "guarded_all_reduce",
             .role = Role::broken,
             .summary = "only ranks that need a longer buffer ask, on the gradients' communicator",
             .run = guarded_all_reduce,
             .expect = length_meets_gradients},
            {.name = "guarded_own_communicator",
             .role = Role::broken,
             .summary = "the same guard on a communicator of its own: the callers wait there",
             .run = guarded_own_communicator,
             .expect = callers_wait_apart},
            {.name = "encoder_on_some_ranks",
             .role = Role::broken,
             .summary =
                 "all ranks ask, but rank 0 runs the encoder once more for a validation sample",
             .run = encoder_on_some_ranks,
             .expect = rank_zero_asks_once_more},
            {.name = "stuck_rank",
             .role = Role::broken,
             .summary = "the last rank never leaves its loader: all others wait for its length",
             .run = stuck_rank,
             .expect = last_is_stuck},
            {.name = "sync_off",
             .role = Role::fix,
             .summary = "no exchange and nothing broadcast: memory differs by rank",
             .run = sync_off,
             .expect = all_well,
             .max_ranks = 64},
            {.name = "unconditional_call",
             .role = Role::fix,
             .summary = "the guard is taken out: all ranks ask in every forward",
             .run = unconditional,
             .expect = all_well,
             .max_ranks = 64},
            {.name = "precomputed_maximum",
             .role = Role::fix,
             .summary = "the longest length comes from metadata, in one call before training",
             .run = precomputed_maximum,
             .expect = all_well,
             .max_ranks = 64},
        },
};
