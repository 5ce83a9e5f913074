// One rank runs out of device memory in one step and handles it alone.
//
// Lesson    A failed allocation is an error of one rank. If the rank skips the batch, the others
//           stay in the step. If it retries with two half batches, it makes one more all-reduce
//           than the others. Whatever it does, it must make the same number of collectives.
// Watch     After a retry in halves, the rank that failed hangs at the very end. The others did
//           nothing wrong and have left, so they look like the culprits. Different memory use alone
//           hangs nothing.
// Cure      Use smaller batches on all ranks from the start. Or agree on the failure and retry
//           together. Or retry alone with the first half under no_sync: then both halves make one
//           all-reduce.
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

#include "scenarios/scenario.h"
#include "scenarios/training/data/halves.h"
#include "scenarios/training/ddp/any_rank.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kBadStep = 3;

// Attention scores of a batch. In the bad step the last rank gets a pair of long recordings. Both
// need 5/4 of the device's memory; one of them alone fits.
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
  static_cast<void>(cudaGetLastError());  // clears the error, which is not sticky
  return error.code == cudaErrorMemoryAllocation;
}

void forward_and_backward(Trainer& trainer, int step, const Batch& batch) {
  const Scores scores(trainer.rank(), step, batch.size);
  trainer.forward(batch);
  trainer.backward();
}

// FIX: both halves of a batch make one all-reduce.
void accumulate_halves(Trainer& trainer, int step) {
  in_halves(trainer, [&](int part) {
    forward_and_backward(trainer, step, half_batch(trainer.rank(), step, part));
  });
}

// Tries each step. If a step runs out of memory, `handle` is called. It says whether the step can
// be finished.
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
    trainer.finish_step();
  }
}

void fits(Rank& rank) { run_healthy(rank, kSteps); }

void skip_alone(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [](int) { return false; });  // BUG: only this rank skips the batch
}

void retry_alone(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [&](int step) {
    for (int part = 0; part < 2; ++part) {  // BUG: two all-reduces where the others make one
      forward_and_backward(trainer, step, half_batch(rank, step, part));
    }
    return true;
  });
}

void retry_alone_without_sync(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [&](int step) {
    accumulate_halves(trainer, step);  // FIX: one all-reduce, as on all ranks
    return true;
  });
  const int last = rank.world_size() - 1;
  finish_with_halves(trainer, kSteps,
                     [last](int at, int step) { return at == last && step == kBadStep; });
}

void smaller_batch_on_all(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    accumulate_halves(trainer, step);  // FIX: on all ranks, always
    trainer.finish_step();
  }
  finish_with_halves(trainer, kSteps, [](int, int) { return true; });
}

void agreed_retry(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    bool failed = false;
    try {
      const Scores probe(rank, step, 2);  // allocates all memory before it sends
    } catch (const CudaError& error) {
      if (!is_out_of_memory(error)) throw;
      failed = true;
    }
    if (any_rank(trainer.world(), failed)) {
      accumulate_halves(trainer, step);  // FIX: all ranks halve this batch, or none
    } else {
      forward_and_backward(trainer, step, standard_batch(rank, step));
    }
    trainer.finish_step();
  }
  finish_with_halves(trainer, kSteps, [](int, int step) { return step == kBadStep; });
}

Expectation others_wait_at_the_end(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, TrainingRun{}.gradients(kSteps - 1));
}

// The last rank makes one more all-reduce than the others, which have left. See
// one_has_left_at_once() for what a network changes.
Expectation last_waits_at_the_end(int ranks) {
  return deadlock(Cause::rank_exited)
      .culprits({ranks == 2 ? 0 : ranks - 1})
      .waiting({ranks - 1}, TrainingRun{}.gradients(kSteps))
      .or_on_real_nccl(Outcome::stall)
      .loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"fits", control, "the same loop, and everything fits", fits},
    {"skip_alone", broken, "the last rank skips the batch that does not fit", skip_alone,
     others_wait_at_the_end},
    {"retry_alone", broken,
     "it retries in two halves with an all-reduce each, gets ahead, and waits in the end",
     retry_alone, last_waits_at_the_end},
    {"retry_alone_without_sync", fix, "it retries alone, with the first half under no_sync",
     retry_alone_without_sync},
    {"smaller_batch_on_all", fix, "all ranks take every batch in halves", smaller_batch_on_all},
    {"agreed_retry", fix, "a flag all-reduce in each step: all halve it, or none", agreed_retry},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank runs out of device memory and deals with it alone",
    .claims = {"B6", "E4"},
    .variants = kVariants,
};
