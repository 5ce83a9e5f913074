// Ranks accumulate gradients under `no_sync`, and one rank counts differently.
//
// Lesson    Under `no_sync` a micro-batch communicates nothing. Only the last micro-batch of an
//           accumulation runs the all-reduce. All ranks must make the same number of all-reduces,
//           however many micro-batches they have. A rank that accumulates more micro-batches per
//           step than the others, to save memory, makes fewer all-reduces.
// Watch     Gradients of different optimizer steps are averaged without an error, until one rank
//           has made its last all-reduce. A remainder at the end of an epoch has the same effect:
//           the others complete their last accumulation, and this rank never does.
// Cure      Use equal counts. Or, if counts must differ, equal numbers of optimizer steps. In
//           either case, the last micro-batch of an epoch must synchronize.
// In PyTorch
//     sync = (i + 1) % steps[rank] == 0                           # bug: not equal on all ranks
//     sync = (i + 1) % steps == 0 or i + 1 == len(loader)         # cure: equal, and at the end too
//     with nullcontext() if sync else model.no_sync():
//         loss_fn(model(x), y).backward()
// Seen in   PyTorch's `no_sync`; modelscope/FunASR#3472; NVIDIA-NeMo/Automodel#2468

#include <algorithm>

#include "scenarios/scenario.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kEach = 2;           // micro-batches per optimizer step
constexpr int kEachOfLast = 3;     // the last rank's, where it differs
constexpr int kMicroBatches = 12;  // per epoch

// A rank's micro-batches, how many of them make a step, and whether the epoch's last one always
// ends a step.
struct Share {
  int micro_batches = kMicroBatches;
  int each = kEach;
  bool flush = false;

  bool ends_step(int micro_batch) const {
    return (micro_batch + 1) % each == 0 || (flush && micro_batch + 1 == micro_batches);
  }
};

void train(Trainer& trainer, Share share) {
  for (int micro_batch = 0; micro_batch < share.micro_batches; ++micro_batch) {
    const bool sync = share.ends_step(micro_batch);
    trainer.reducer().set_sync(sync);  // no_sync() around all but the last
    trainer.forward(standard_batch(trainer.rank(), micro_batch));
    trainer.backward();
    if (sync) trainer.step();
    trainer.loss_item();
    trainer.rank().report().step_done();
  }
}

// One step of the reference uses the micro-batches of all ranks.
template <typename ShareOf>
void verify(Trainer& trainer, ShareOf share_of) {
  const int ranks = trainer.rank().world_size();
  const int steps = (kMicroBatches + kEach - 1) / share_of(0).each;
  const auto plan = [=](int step) {
    ReferenceStep all;
    all.divisor = ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      const Share share = share_of(rank);
      const int end = std::min((step + 1) * share.each, share.micro_batches);
      for (int at = step * share.each; at < end; ++at) {
        all.batches.push_back(standard_batch(ranks, rank, at));
      }
    }
    return all;
  };
  verify_training(trainer, steps, plan, 1e-4);
  trainer.close();
}

void no_accumulation(Rank& rank) { run_healthy(rank, kMicroBatches); }

void counts_differ(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, {.each = rank.is_last() ? kEachOfLast : kEach});  // BUG: fewer syncs on one rank
}

void remainder_is_dropped(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  // BUG: the last rank's last step never gets its second micro-batch
  train(trainer, {.micro_batches = kMicroBatches - (rank.is_last() ? 1 : 0)});
}

void remainder_is_flushed(Rank& rank) {
  const int ranks = rank.world_size();
  const auto share = [ranks](int of) {
    // FIX: the last micro-batch synchronizes, whatever the count says
    return Share{.micro_batches = kMicroBatches - (of == ranks - 1 ? 1 : 0), .flush = true};
  };
  Trainer trainer(rank, one_bucket());
  train(trainer, share(rank.rank()));
  verify(trainer, share);
}

void equal_counts(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, {});  // FIX: all ranks accumulate equally often
  verify(trainer, [](int) { return Share{}; });
}

void equal_steps(Rank& rank) {
  const int ranks = rank.world_size();
  const auto share = [ranks](int of) {
    // FIX: the last rank has more micro-batches per step, and as many steps as the others
    const int each = of == ranks - 1 ? kEachOfLast : kEach;
    return Share{.micro_batches = kMicroBatches / kEach * each, .each = each};
  };
  Trainer trainer(rank, one_bucket());
  train(trainer, share(rank.rank()));
  verify(trainer, share);
}

Expectation others_wait(int ranks, int step) {
  return one_has_left_at_once(ranks, ranks - 1, TrainingRun{}.gradients(step));
}
Expectation others_have_more_steps(int ranks) {
  return others_wait(ranks, kMicroBatches / kEachOfLast);
}
Expectation others_have_one_more_step(int ranks) {
  return others_wait(ranks, kMicroBatches / kEach - 1);
}

constexpr Variant kVariants[] = {
    {"no_accumulation", control, "each micro-batch is a step", no_accumulation},
    {"counts_differ", broken, "the last rank accumulates 3 micro-batches, the others 2",
     counts_differ, others_have_more_steps},
    {"remainder_is_dropped", broken,
     "the last rank has one micro-batch fewer, so its last step never ends", remainder_is_dropped,
     others_have_one_more_step},
    {"remainder_is_flushed", fix, "the last micro-batch of an epoch synchronizes",
     remainder_is_flushed},
    {"equal_counts", fix, "all ranks accumulate 2", equal_counts},
    {"equal_steps", fix, "3 on the last rank, 2 on the others, and equally many steps",
     equal_steps},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank accumulates gradients over a different number of micro-batches",
    .claims = {"E4"},
    .variants = kVariants,
};
