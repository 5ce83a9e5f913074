// One rank's data loader does not deliver.
//
// Lesson    The loader is part of the step. A worker that blocks on dead storage, or that is
//           killed, keeps its rank out of the all-reduce and so stops all ranks. Nobody outside can
//           prove that the read will never return. So the run is a stall, and the rank that reads
//           its pipe is to blame.
// Watch     All ranks but one wait in an all-reduce with the GPU at 100 %. The one whose output
//           stops first is in the loader. A slow loader looks the same for a while, and recovers.
// Cure      Tell all ranks of a time-out: a rank that times out alone ends alone, and the others
//           still hang. Loading in the rank's own process (num_workers=0) helps against a worker
//           that dies. It does not help against dead storage: then the rank itself blocks. The rank
//           may also restart a dead worker. New workers in each epoch replace those that leak, but
//           not one that dies within an epoch.
// In PyTorch
//     DataLoader(data, num_workers=4)                         # bug: waits for ever (timeout=0)
//     try: batch = next(batches)                              # DataLoader(..., timeout=60)
//     except RuntimeError: failed.fill_(1)
//     dist.all_reduce(failed, op=dist.ReduceOp.MAX)           # cure: all end, or none
//     if failed.item(): raise RuntimeError("a loader has failed")
// Seen in   pytorch#33296 and #96629 (loader time-outs), pytorch#41517, CompVis/latent-diffusion#76

#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <stdexcept>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/data/loader_worker.h"
#include "scenarios/training/ddp/any_rank.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kBadStep = 3;
constexpr int kTimeoutMs = 200;

// Trains. `load` delivers a step's batch, or fails to.
template <typename Load>
void train(Rank& rank, Load load) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    load(trainer, step);
    trainer.train_on(standard_batch(rank, step));
  }
  finish_run(trainer, steps_without(kSteps));
}

// Each rank has a worker. From the bad step on, the last rank's worker meets `storage`.
void train_with_worker(Rank& rank, Storage storage, int timeout_ms = -1) {
  LoaderWorker worker(rank.is_last() ? storage : Storage::works, kBadStep);
  train(rank, [&](Trainer&, int step) { worker.fetch(step, timeout_ms); });
}

// SIGKILL: what the kernel sends to a worker when memory runs out.
void kill_in_bad_step(const Rank& rank, const LoaderWorker& worker, int step) {
  if (rank.is_last() && step == kBadStep) kill(worker.pid(), SIGKILL);
}

void workers_answer(Rank& rank) { train_with_worker(rank, Storage::works); }
void slow_worker(Rank& rank) { train_with_worker(rank, Storage::slow); }

// BUG: the last rank's worker reads from storage that never answers
void worker_blocks(Rank& rank) { train_with_worker(rank, Storage::hangs); }

// The last rank gives up and tells nobody.
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
      verify_run(trainer, steps_without(step));                // the earlier steps are not lost
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
      worker = std::make_unique<LoaderWorker>();  // FIX: a new worker, and the same request again
      worker->fetch(step);
    }
  });
}

// persistent_workers=False: each epoch starts its own workers. The last rank's workers leak, and
// hang after two epochs' requests.
template <typename Fetch>
void train_with_new_workers(Rank& rank, Fetch fetch) {
  constexpr int kEpoch = 2;  // steps; the bad step is the last of an epoch
  std::unique_ptr<LoaderWorker> worker;
  train(rank, [&](Trainer&, int step) {
    if (step % kEpoch == 0) {
      worker = std::make_unique<LoaderWorker>(rank.is_last() ? Storage::hangs : Storage::works,
                                              2 * kEpoch);
    }
    fetch(*worker, step);
  });
}

// FIX: no worker lives long enough to hang
void new_workers_each_epoch(Rank& rank) {
  train_with_new_workers(rank, [](LoaderWorker& worker, int step) { worker.fetch(step); });
}

void workers_of_one_epoch(Rank& rank) {
  train_with_new_workers(rank, [&](LoaderWorker& worker, int step) {
    kill_in_bad_step(rank, worker, step);
    worker.fetch(step);  // BUG: no new worker starts before the next epoch
  });
}

// FIX: num_workers=0: there is no worker that could be killed
void in_process_loading(Rank& rank) {
  train(rank, [](Trainer&, int) {});
}

void in_process_blocks(Rank& rank) {
  std::array<int, 2> storage{};  // a pipe that nobody writes to
  if (pipe(storage.data()) != 0) throw std::runtime_error("no pipe");
  train(rank, [&](Trainer&, int step) {
    const Label label("loader/next");
    char sample = 0;
    if (rank.is_last() && step == kBadStep && read(storage[0], &sample, 1) != 1) {
      throw std::runtime_error("the storage is gone");
    }
  });
}

Expectation last_is_in_the_loader(int ranks) {
  return one_is_stuck(ranks, ranks - 1, TrainingRun{}.gradients(kBadStep));
}
Expectation last_has_gone(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, TrainingRun{}.gradients(kBadStep));
}

constexpr Variant kVariants[] = {
    {"workers_answer", control, "a worker process on each rank, all answer", workers_answer},
    {"slow_worker", control, "the last rank's worker is slow: the others wait, no more",
     slow_worker},
    {"worker_blocks", broken, "the last rank's worker reads from dead storage", worker_blocks,
     last_is_in_the_loader},
    {"worker_killed", broken, "its worker is killed (SIGKILL), and the rank throws and ends alone",
     worker_killed, last_has_gone},
    {"in_process_blocks", remedy, "the rank itself reads from dead storage", in_process_blocks,
     last_is_in_the_loader},
    {"workers_of_one_epoch", remedy,
     "each epoch starts new workers, and one is killed within an epoch", workers_of_one_epoch,
     last_has_gone},
    {"timeout_alone", remedy, "a loader time-out ends the last rank, and nobody else",
     timeout_alone, last_has_gone},
    {"timeout_agreed", fix, "all ranks hear of a loader's time-out, and all end cleanly",
     timeout_agreed, all_fail},
    {"restarted_worker", fix, "the rank restarts a killed worker", restarted_worker},
    {"in_process_loading", fix, "there is no worker, so none can be killed", in_process_loading},
    {"new_workers_each_epoch", fix, "workers that leak are replaced before they hang",
     new_workers_each_epoch},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank's data loader does not deliver",
    .claims = {"A7", "B7", "D3"},
    .variants = kVariants,
};
