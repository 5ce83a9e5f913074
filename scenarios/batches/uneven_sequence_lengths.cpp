// Ranks see sequences of different lengths, and the encoder grows its positional buffer to fit.
//
// Lesson    Only one rank knows how long its sequence is. DDP must not communicate anything whose
//           size depends on it. Different lengths alone break nothing: gradients have fixed sizes.
// Watch     Different lengths make the early ranks wait, and so does a slow rank. Each of these
//           waits looks like a hang until it ends. The job breaks when DDP broadcasts a buffer
//           whose size differs by rank: the ranks with the longer buffer hang in the broadcast, the
//           others in the gradients after it. If the ranks exchange lengths, all of them wait there
//           for a rank that is stuck in its loader.
// Cure      Each rank keeps its own buffer, and DDP does not broadcast it
//           (sync_max_audio_length=False). Memory use then differs by rank. Or all ranks ask for
//           the longest length in every forward (see guarded_length_exchange).
// In PyTorch
//     self.register_buffer("pe", encodings(2 * length))             # bug: DDP broadcasts it
//     ConformerEncoder(..., sync_max_audio_length=False)            # cure: nobody asks (NeMo)
//     DistributedDataParallel(model, broadcast_buffers=False)       # and DDP sends no buffers
// Seen in   NeMo Speech#3304 (the all-reduce, December 2021; sync_max_audio_length came later)

#include <ctime>
#include <functional>

#include "scenarios/scenario.h"
#include "scenarios/training/data/loader_worker.h"
#include "scenarios/training/runs/places.h"
#include "scenarios/training/runs/uneven_lengths.h"

using namespace gridlock;
using namespace gridlock::uneven;

namespace {

void local_buffers(Rank& rank) {
  Trainer trainer(rank, options(true));
  for (int step = 0; step < kSteps; ++step) {
    step_with(trainer, batch(rank, step), [](Positions& positions, int mine) {
      // BUG: twice this rank's own length, and the next forward broadcasts it at that size
      if (mine > positions.length()) positions.grow_to(2 * mine);
    });
  }
}

void unconditional(Rank& rank) { run_asking_all(rank); }

// A step takes about half a millisecond. The last rank's loader takes 10 times as long, then 100
// times.
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
      step_asking_all(trainer, batch(rank, step));
    }
    report_over_ranks(rank, figure, "_us", rank.report().median_wait_us());
  };
  phase(nullptr, "wait");
  phase(&kTenTimes, "wait_10x");
  phase(&kHundredTimes, "wait_100x");
  finish(trainer, step);
}

void stuck_rank(Rank& rank) {
  Trainer trainer(rank, options());
  // BUG: the last rank's loader worker reads from storage that never answers
  LoaderWorker worker(rank.is_last() ? Storage::hangs : Storage::works, kLongStep);
  for (int step = 0; step < kSteps; ++step) {
    worker.fetch(step);
    step_asking_all(trainer, batch(rank, step));
  }
}

void sync_off(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    step_with(trainer, batch(rank, step), [](Positions& positions, int mine) {
      // FIX: each rank has its own buffer; DDP does not know it, so does not broadcast it
      if (mine > positions.length()) positions.grow_to(2 * mine);
    });
  }
  finish(trainer);
}

const TrainingRun kAsking{.options = options(), .asks_per_step = 1};

// A rank whose buffer has rank 0's size gets the broadcast and goes on to its gradients. The ranks
// with a longer buffer are still in the broadcast.
Expectation sizes_of_buffers_differ(int ranks) {
  const TrainingRun run{.options = options()};
  const std::vector<int> longer = ranks_where(ranks, exceeds);
  return mismatched(fewer_or_all(ranks, longer))
      .waiting(longer, run.buffers(kLongStep + 1))
      .waiting(ranks_where(ranks, std::not_fn(exceeds)), run.gradients(kLongStep + 1));
}

Expectation last_is_stuck(int ranks) {
  return one_is_stuck(ranks, ranks - 1, kAsking.asks(kLongStep, value("encoder/max_length")));
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
    {"stuck_rank", broken, "the last rank never leaves its loader: all others wait for its length",
     stuck_rank, last_is_stuck},
    {"sync_off", fix, "no exchange and nothing broadcast: memory differs by rank", sync_off,
     all_well, 2, kManyRanks},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the encoder grows its buffer to the longest sequence, which only one rank knows",
    .claims = {"D1", "D2", "D3", "D4", "D5"},
    .variants = kVariants,
};
