// One rank's data loader does not deliver.
//
// Lesson    The loader is part of the step. A worker that blocks on dead storage, or that is
//           killed, keeps one rank out of the all-reduce, and with it everybody. No proof can be
//           had from outside that the read will never return: the run is a stall, with the rank
//           that reads its pipe to blame.
// Watch     All ranks but one stand in an all-reduce with the GPU at 100 %; the one that printed
//           nothing last is in the loader. A slow loader looks the same for a while, and recovers.
// Cure      A time-out that all ranks hear of: who times out alone ends alone, and the others hang
//           as before. Loading in process (num_workers=0) cures a worker that dies, not storage
//           that does: then the rank itself blocks. A dead worker may also be started again.
// Seen in   pytorch#33296 and #96629 (loader time-outs), pytorch#41517, CompVis/latent-diffusion#76

#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/any_rank.h"
#include "scenarios/training/declare.h"
#include "scenarios/training/loader_worker.h"
#include "scenarios/training/standard_run.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kBadStep = 3;
constexpr int kTimeoutMs = 200;

// Trains; `load` delivers a step's batch, or does not.
template <typename Load>
void train(Rank& rank, Load load) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    load(trainer, step);
    trainer.train_on(standard_batch(rank, step));
  }
  verify_run(trainer, steps_without(kSteps));
  trainer.close();
}

// A worker of each rank; the last rank's storage is as said from the bad step on.
void train_with_worker(Rank& rank, Storage storage, int timeout_ms = -1) {
  LoaderWorker worker(rank.is_last() ? storage : Storage::works, kBadStep);
  train(rank, [&](Trainer&, int step) { worker.fetch(step, timeout_ms); });
}

// What the kernel does to a worker when memory runs out: SIGKILL.
void kill_in_bad_step(const Rank& rank, const LoaderWorker& worker, int step) {
  if (rank.is_last() && step == kBadStep) kill(worker.pid(), SIGKILL);
}

void workers_answer(Rank& rank) { train_with_worker(rank, Storage::works); }
void slow_worker(Rank& rank) { train_with_worker(rank, Storage::slow); }

// BUG: the last rank's worker reads from storage that never answers
void worker_blocks(Rank& rank) { train_with_worker(rank, Storage::hangs); }

// The last rank gives up, and nobody tells the others.
void timeout_alone(Rank& rank) { train_with_worker(rank, Storage::hangs, kTimeoutMs); }

void worker_killed(Rank& rank) {
  LoaderWorker worker;
  train(rank, [&](Trainer&, int step) {
    kill_in_bad_step(rank, worker, step);
    worker.fetch(step);  // BUG: the pipe ends, the rank throws, and ends alone
  });
}

void timeout_agreed(Rank& rank) {
  LoaderWorker worker(rank.is_last() ? Storage::hangs : Storage::works, kBadStep);
  train(rank, [&](Trainer& trainer, int step) {
    bool failed = false;
    try {
      worker.fetch(step, kTimeoutMs);
    } catch (const std::runtime_error&) {
      failed = true;
    }
    if (any_rank(trainer.world(), failed, "loader/failed")) {  // FIX: all end, or none
      throw std::runtime_error(failed ? "this rank's loader did not deliver in time"
                                      : "another rank's loader did not deliver: ending with it");
    }
  });
}

void restarted_worker(Rank& rank) {
  auto worker = std::make_unique<LoaderWorker>();
  train(rank, [&](Trainer&, int step) {
    kill_in_bad_step(rank, *worker, step);
    try {
      worker->fetch(step);
    } catch (const std::runtime_error&) {
      worker = std::make_unique<LoaderWorker>();  // FIX: another one, and the same request again
      worker->fetch(step);
    }
  });
}

// FIX: num_workers=0; there is no worker to be killed
void in_process_loading(Rank& rank) {
  train(rank, [](Trainer&, int) {});
}

void in_process_blocks(Rank& rank) {
  std::array<int, 2> storage{};  // nobody writes to it
  if (pipe(storage.data()) != 0) throw std::runtime_error("no pipe");
  train(rank, [&](Trainer&, int step) {
    const Label label("loader/next");
    char sample = 0;
    if (rank.is_last() && step == kBadStep && read(storage[0], &sample, 1) != 1) {
      throw std::runtime_error("the storage is gone");
    }
  });
}

int waiting_slot() { return Wire{one_bucket()}.begin(kBadStep); }

Expectation last_is_in_the_loader(int ranks) {
  Expectation whole = stall(Cause::host_stuck).culprits({ranks - 1});
  return wait_for_gradients(whole, waiting_slot(), all_but(ranks, ranks - 1));
}

Expectation last_has_gone(int ranks) {
  Expectation whole = deadlock(Cause::rank_exited).culprits({ranks - 1});
  return wait_for_gradients(whole, waiting_slot(), all_but(ranks, ranks - 1));
}

Expectation all_end_with_a_message(int ranks) { return fails().culprits(all_ranks(ranks)); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank's data loader does not deliver",
    .claims = {"A7", "B7", "D3"},
    .ranks = 4,
    .variants =
        {
            {"workers_answer", Role::control, "a worker process on each rank, all answer",
             workers_answer, all_well},
            {"slow_worker", Role::control,
             "the last rank's worker is slow: the others wait, no more", slow_worker, all_well},
            {"worker_blocks", Role::broken, "the last rank's worker reads from dead storage",
             worker_blocks, last_is_in_the_loader},
            {"worker_killed", Role::broken,
             "it is killed (SIGKILL); its rank throws and ends alone", worker_killed,
             last_has_gone},
            {"in_process_blocks", Role::remedy, "the rank itself reads from dead storage",
             in_process_blocks, last_is_in_the_loader},
            {"timeout_alone", Role::remedy, "a loader time-out ends the last rank, and nobody else",
             timeout_alone, last_has_gone},
            {"timeout_agreed", Role::fix,
             "a loader time-out that all ranks hear of: all end cleanly", timeout_agreed,
             all_end_with_a_message},
            {"restarted_worker", Role::fix, "a killed worker is started again", restarted_worker,
             all_well},
            {"in_process_loading", Role::fix, "no worker, so none can be killed",
             in_process_loading, all_well},
        },
};
