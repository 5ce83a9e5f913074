// One rank runs out of device memory in one step, and deals with it alone.
//
// Lesson    A failed allocation is an error of one rank. Skipping the batch there leaves the others
//           in the step; retrying there with two half batches makes one all-reduce more than the
//           others make. Whatever the rank does about it, the number of its collectives must stay
//           as it was.
// Watch     After a retry in halves the rank that failed hangs at the very end, and the others, who
//           did nothing wrong, have left: they look like the culprits. Odd memory use alone hangs
//           nothing.
// Cure      Smaller batches on all ranks from the start; or agree on the failure and retry
//           together; or retry alone under no_sync, so that there is one all-reduce after all.
// In PyTorch
//     except torch.cuda.OutOfMemoryError: continue               # bug: skips the step alone
//     except torch.cuda.OutOfMemoryError: failed.fill_(1)
//     dist.all_reduce(failed, op=dist.ReduceOp.MAX)              # cure: all ranks know,
//     if failed.item():                                          # and all halve this batch
//         with model.no_sync(): loss_fn(model(first_half)).backward()
//         loss_fn(model(second_half)).backward()
// Seen in   fairseq#708 and #3989, pytorch#44353, Lightning#5243 (amorehead)

#include <cuda_runtime_api.h>

#include <cstdio>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/any_rank.h"
#include "scenarios/training/places.h"
#include "scenarios/training/standard_run.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kBadStep = 3;

// Attention scores of a batch. One pair of long recordings, dealt to the last rank, needs 5/4 of
// the device's memory; one of the two alone fits.
class Scores {
 public:
  Scores(const Rank& rank, int step, int recordings) : stream_(rank.stream()) {
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total));
    const bool is_long = rank.is_last() && step == kBadStep;
    const std::size_t each = is_long ? total / 8 * 5 : 1 << 16;
    check(cudaMallocAsync(&memory_, each * static_cast<std::size_t>(recordings), stream_));
  }
  ~Scores() { static_cast<void>(cudaFreeAsync(memory_, stream_)); }
  Scores(const Scores&) = delete;
  Scores& operator=(const Scores&) = delete;

 private:
  cudaStream_t stream_;
  void* memory_ = nullptr;
};

bool is_out_of_memory(const CudaError& error) {
  static_cast<void>(cudaGetLastError());  // it is not a sticky one
  return error.code == cudaErrorMemoryAllocation;
}

void forward_and_backward(Trainer& trainer, int step, const Batch& batch) {
  const Scores scores(trainer.rank(), step, batch.size);
  trainer.forward(batch);
  trainer.backward();
}

Batch half_batch(int ranks, int rank, int step, int part) {
  return batch_of_samples({2 * (step * ranks + rank) + part});
}

// Both halves of a batch, each with half the weight; the first is kept under no_sync.
void accumulate_halves(Trainer& trainer, int step) {
  const Rank& rank = trainer.rank();
  trainer.reducer().set_divisor(2 * rank.world_size());
  for (int part = 0; part < 2; ++part) {
    trainer.reducer().set_sync(part == 1);
    forward_and_backward(trainer, step, half_batch(rank.world_size(), rank.rank(), step, part));
  }
  trainer.reducer().set_divisor(rank.world_size());
}

void finish_step(Trainer& trainer) {
  trainer.step();
  trainer.loss_item();
  trainer.rank().report().step_done();
}

// Tries each step; `handle` is called in place of one that ran out of memory.
template <typename Handle>
void train(Trainer& trainer, Handle handle) {
  for (int step = 0; step < kSteps; ++step) {
    try {
      forward_and_backward(trainer, step, standard_batch(trainer.rank(), step));
    } catch (const CudaError& error) {
      if (!is_out_of_memory(error)) throw;
      std::printf("warning: out of memory in step %d\n", step);
      if (!handle(step)) continue;
    }
    finish_step(trainer);
  }
}

// `halved` says whether a rank's batch of a step was two.
template <typename Halved>
void verify(Trainer& trainer, Halved halved) {
  const int ranks = trainer.rank().world_size();
  const auto plan = [=](int step) {
    ReferenceStep all;
    all.divisor = ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      if (!halved(rank, step)) {
        all.batches.push_back(standard_batch(ranks, rank, step));
        all.weights.push_back(1);
        continue;
      }
      for (int part = 0; part < 2; ++part) {
        all.batches.push_back(half_batch(ranks, rank, step, part));
        all.weights.push_back(0.5);
      }
    }
    return all;
  };
  verify_training(trainer, kSteps, plan, 2e-5);
  trainer.close();
}

void fits(Rank& rank) { run_healthy(rank, kSteps); }

void skip_alone(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [](int) { return false; });  // BUG: the batch is skipped here only
}

void retry_alone(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [&](int step) {
    for (int part = 0; part < 2; ++part) {  // BUG: two all-reduces where the others make one
      forward_and_backward(trainer, step, half_batch(rank.world_size(), rank.rank(), step, part));
    }
    return true;
  });
}

void retry_alone_without_sync(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [&](int step) {
    accumulate_halves(trainer, step);  // FIX: one all-reduce, as everywhere
    return true;
  });
  const int last = rank.world_size() - 1;
  verify(trainer, [last](int at, int step) { return at == last && step == kBadStep; });
}

void smaller_batch_on_all(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    accumulate_halves(trainer, step);  // FIX: on all ranks, always
    finish_step(trainer);
  }
  verify(trainer, [](int, int) { return true; });
}

void agreed_retry(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    bool failed = false;
    try {
      const Scores probe(rank, step, 2);  // all that the step needs, before anything is sent
    } catch (const CudaError& error) {
      if (!is_out_of_memory(error)) throw;
      failed = true;
    }
    if (any_rank(trainer.world(), failed)) {
      accumulate_halves(trainer, step);  // FIX: all ranks halve this batch, or none
    } else {
      forward_and_backward(trainer, step, standard_batch(rank, step));
    }
    finish_step(trainer);
  }
  verify(trainer, [](int, int step) { return step == kBadStep; });
}

Expectation others_wait_at_the_end(int ranks) {
  return one_has_left(ranks, ranks - 1, gradients_at(Wire{one_bucket()}.begin(kSteps - 1)));
}

// One all-reduce more than the others made; they have left.
Expectation last_waits_at_the_end(int ranks) {
  return deadlock(Cause::rank_exited)
      .culprits({ranks == 2 ? 0 : ranks - 1})
      .waiting({ranks - 1}, gradients_at(Wire{one_bucket()}.begin(kSteps)));
}

constexpr Variant kVariants[] = {
    {"fits", control, "the same loop, everything fits", fits},
    {"skip_alone", broken, "the last rank skips the batch that does not fit", skip_alone,
     others_wait_at_the_end},
    {"retry_alone", broken,
     "it retries in two halves, with an all-reduce each; it is ahead and waits in the end",
     retry_alone, last_waits_at_the_end},
    {"retry_alone_without_sync", fix, "the first half under no_sync", retry_alone_without_sync},
    {"smaller_batch_on_all", fix, "all ranks take every batch in halves", smaller_batch_on_all},
    {"agreed_retry", fix, "a flag all-reduce in each step: all halve it, or none", agreed_retry},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank runs out of device memory and deals with it alone",
    .claims = {"B6", "E4"},
    .variants = kVariants,
};
