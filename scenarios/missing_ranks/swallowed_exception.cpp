// One rank catches an exception, logs it, and goes on with the next batch.
//
// Lesson    "Catch, log, continue" is a branch on rank-local data. The exception would have ended
//           the job with a message; swallowing it turns the message into a hang. A rank that ends
//           alone is no cure either: somebody must end the others.
// Watch     The log shows a harmless warning and then nothing. The hang comes in a later step, or
//           in the last one, and not at the line that threw.
// Cure      Agree on the failure before going on: all ranks skip the batch. Or end the job: the
//           rank rethrows; the others poll for its end instead of waiting, and abort. An abort on
//           the failed rank is not enough: it ends that rank's calls only, and the peers'
//           ncclCommGetAsyncError need not show it. The peers must hear of it another way: from the
//           launcher, from a store, over a socket.
// In PyTorch
//     except RuntimeError as error: log.warning(error); continue    # bug: the others go on with it
//     except RuntimeError: failed.fill_(1)
//     dist.all_reduce(failed, op=dist.ReduceOp.MAX)                 # cure: all skip, or none
//     if failed.item(): continue
//     # or let it end the process: torchrun then ends all others
// Seen in   pytorch#44353 (out of memory caught on one rank), Lightning#6430,
//           pytorch/torchtitan#1790

#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "scenarios/scenario.h"
#include "scenarios/training/ddp/any_rank.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kBadStep = 3;

// One recording of the last rank has a damaged header. Its frame count exceeds the encoder's
// positions, so the encoder's forward throws.
Batch batch(const Rank& rank, int step) {
  if (!rank.is_last() || step != kBadStep) return standard_batch(rank, step);
  return Dataset(ModelShape{}.features, ModelShape{}.outputs, [](int) { return 400; }).batch({0});
}

void healthy(Rank& rank) { run_healthy(rank, kSteps); }

void train_and_swallow(Rank& rank, const TrainerOptions& options) {
  Trainer trainer(rank, options);
  for (int step = 0; step < kSteps; ++step) {
    try {
      trainer.train_on(batch(rank, step));
    } catch (const std::logic_error& error) {
      std::printf("warning: batch skipped: %s\n", error.what());  // BUG: the others did not skip it
    }
  }
}

void log_and_continue(Rank& rank) { train_and_swallow(rank, one_bucket()); }
void log_and_continue_with_buffers(Rank& rank) { train_and_swallow(rank, {}); }

void rethrow_only(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  // The exception ends this rank. Nothing here ends the others.
  for (int step = 0; step < kSteps; ++step) trainer.train_on(batch(rank, step));
}

// Waits until the compute stream is done or `is_lost` says that a member is lost. Another rank's
// abort may end a collective with wrong numbers (rank_crash), so it asks once more at the end.
//   Blocks  until then
//   Errors  std::runtime_error if a member is lost; the communicator is aborted first
template <typename IsLost>
void wait_or_throw(Trainer& trainer, IsLost is_lost) {
  while (true) {
    const bool done = cudaStreamQuery(trainer.rank().stream()) != cudaErrorNotReady;
    if (is_lost()) {
      check(ncclCommAbort(trainer.world().communicator()));
      throw std::runtime_error("another rank has failed, see its message: aborted.");
    }
    if (done) return;
    usleep(100);
  }
}

// The rank that throws aborts its own collectives, so that nothing holds it up. It ends with its
// message.
template <typename IsLost>
void train_and_abort(Trainer& trainer, IsLost is_lost) {
  for (int step = 0; step < kSteps; ++step) {
    try {
      trainer.forward(batch(trainer.rank(), step));
    } catch (const std::logic_error&) {
      check(ncclCommAbort(trainer.world().communicator()));
      throw;
    }
    trainer.backward();
    trainer.step();
    wait_or_throw(trainer, is_lost);
    trainer.rank().report().step_done();
  }
}

void abort_tells_nobody(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train_and_abort(trainer, [&] {  // the peers see no error after an orderly abort
    ncclResult_t error = ncclSuccess;
    check(ncclCommGetAsyncError(trainer.world().communicator(), &error));
    return error != ncclSuccess;
  });
}

void abort_and_rethrow(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  // FIX: the others hear of it over sockets, which close when the process ends
  train_and_abort(trainer, [&] { return rank.rendezvous().anyone_has_left(); });
}

void agree_on_failure(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    bool failed = false;
    try {
      trainer.forward(batch(rank, step));
    } catch (const std::logic_error& error) {
      failed = true;
      std::printf("warning: batch skipped on all ranks: %s\n", error.what());
    }
    if (any_rank(trainer.world(), failed)) continue;  // FIX: all skip it, or none
    trainer.backward();
    trainer.finish_step();
  }
  finish_run(trainer, steps_without(kSteps, kBadStep));
}

const TrainingRun kRun;

Expectation others_wait_at_the_end(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, kRun.gradients(kSteps - 1));
}
Expectation others_wait_at_once(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, kRun.gradients(kBadStep));
}

Expectation broadcast_meets_gradients(int ranks) {
  const TrainingRun with_buffers{TrainerOptions{}};
  return calls_differ(ranks, ranks - 1, buffers(), with_buffers.gradients(kBadStep));
}

// The others poll, so nothing is proven. Over a network NCCL reports to them that the connection to
// the last rank was closed (src/transport/net_socket.cc); then all fail.
Expectation others_poll_in_vain(int ranks) {
  return stall(Cause::rank_exited)
      .or_on_real_nccl(Outcome::fails)
      .loosely_on_real_nccl()
      .culprits({ranks - 1})
      .waiting(all_but(ranks, ranks - 1), kRun.gradients(kBadStep));
}

constexpr Variant kVariants[] = {
    {"healthy", control, "the same loop, nothing throws", healthy},
    {"log_and_continue", broken,
     "the last rank logs and goes on, so its last all-reduce never comes", log_and_continue,
     others_wait_at_the_end},
    {"log_and_continue_with_buffers", broken,
     "it goes on where DDP broadcasts buffers before each forward", log_and_continue_with_buffers,
     broadcast_meets_gradients},
    {"rethrow_only", remedy, "the last rank ends with its message, and nobody ends the others",
     rethrow_only, others_wait_at_once},
    {"abort_tells_nobody", remedy,
     "it aborts and ends, and the others poll NCCL for an error that nobody reports",
     abort_tells_nobody, others_poll_in_vain},
    {"abort_and_rethrow", fix, "the others poll whether a rank has left, and all end at once",
     abort_and_rethrow, all_fail},
    {"agree_on_failure", fix, "a flag all-reduce after the forward: all skip, or none",
     agree_on_failure},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank swallows an exception and goes on with the next batch",
    .claims = {"B4"},
    .variants = kVariants,
};
