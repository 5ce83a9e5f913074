// Rank 0 takes longer to save a checkpoint than a time-out watchdog allows.
//
// Lesson    A time-out cannot tell slow from stuck. The ranks that wait for rank 0 are as healthy
//           as it is. A watchdog that counts the time kills them, and the run with them. Who waits
//           for whom proves a deadlock, and a rank that writes a file waits for nobody.
// Watch     The message names the all-reduce that "timed out" on the ranks that waited, but nothing
//           is wrong with it or with them. With a larger limit the run survives, but every true
//           hang costs that much more time.
// Cure      Write a copy in the background, so that nobody waits. Or choose a limit longer than the
//           longest save, and add a tool that finds true hangs sooner.
// In PyTorch
//     dist.init_process_group("nccl", timeout=timedelta(seconds=60))      # bug: less than a save
//     if rank == 0: torch.save(model.state_dict(), path)
//     torch.distributed.checkpoint.async_save(state, checkpoint_id=path)  # cure: writes a copy
//     dist.init_process_group("nccl", timeout=timedelta(minutes=30))      # or: more than any save
// Seen in   meta-pytorch/torchtune#2093, ai2cm/ace#851, deepspeedai/DeepSpeed#7533

#include <chrono>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/recovery/checkpoint.h"
#include "scenarios/training/recovery/watchdog.h"
#include "scenarios/training/runs/standard_run.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kSaveStep = 3;
constexpr std::chrono::milliseconds kShort(300);    // the watchdog's limit
constexpr std::chrono::milliseconds kLong(10'000);  // a limit that no save exceeds

using Guard = std::function<void(const std::function<void()>&)>;

// Trains. `guard` runs each step's wait, and rank 0 calls `save_now` after one of the steps.
void train(Trainer& trainer, const Guard& guard,
           const std::function<void(std::vector<float> parameters)>& save_now) {
  Rank& rank = trainer.rank();
  for (int step = 0; step < kSteps; ++step) {
    trainer.forward(standard_batch(rank, step));
    trainer.backward();
    trainer.step();
    const auto wait = [&] { trainer.loss_item(); };
    step == 0 ? wait() : guard(wait);  // a GPU may be slow to load the first kernels
    if (rank.rank() == 0 && step == kSaveStep) {
      const Label label("checkpoint/save");
      save_now(trainer.module().parameters().on_host(rank.stream()));
      // A launcher does the same: when some of its ranks have failed, it ends the rest.
      if (rank.rendezvous().anyone_has_left()) {
        throw std::runtime_error("the others have ended while this rank saved");
      }
    }
    rank.report().step_done();
  }
}

void unwatched(Rank& rank, Saving saving) {
  Trainer trainer(rank, one_bucket());
  train(
      trainer, [](const auto& wait) { wait(); },
      [=](const auto& parameters) { save(parameters, saving); });
  finish_run(trainer, steps_without(kSteps));
}

void quick_save(Rank& rank) { unwatched(rank, Saving::quick); }
void slow_save(Rank& rank) { unwatched(rank, Saving::slow); }

void watched(Rank& rank, std::chrono::milliseconds limit,
             const std::function<void(std::vector<float>)>& save_now) {
  Trainer trainer(rank, one_bucket());
  Watchdog watchdog(trainer.world().communicator(), limit, Watchdog::Action::aborts);
  train(
      trainer, [&](const auto& wait) { watchdog.guard(wait); }, save_now);
  watchdog.stop();
  finish_run(trainer, steps_without(kSteps));
}

void save_slowly(const std::vector<float>& parameters) { save(parameters, Saving::slow); }

// BUG: the others wait longer than this for a busy rank
void watchdog(Rank& rank) { watched(rank, kShort, save_slowly); }

// FIX: the longest save does not exceed this limit
void longer_limit(Rank& rank) { watched(rank, kLong, save_slowly); }

void save_in_background(Rank& rank) {
  std::thread writer;
  // FIX: a copy is written while training goes on
  watched(rank, kShort, [&](std::vector<float> parameters) {
    writer = std::thread([copy = std::move(parameters)] { save_slowly(copy); });
  });
  if (writer.joinable()) writer.join();
}

constexpr Variant kVariants[] = {
    {"quick_save", control, "the same loop with a quick save", quick_save},
    {"slow_save", control, "a slow save and no watchdog: the others wait, and no more", slow_save},
    {"watchdog", remedy, "a watchdog with a limit below the save's time, which kills the run",
     watchdog, all_fail},
    Variant{"longer_limit", fix, "a watchdog with a limit above the save's time", longer_limit}
        .against("slow_save"),
    Variant{"save_in_background", fix, "a thread writes a copy, and nobody waits",
            save_in_background}
        .against("slow_save"),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "rank 0 saves a checkpoint for longer than a watchdog allows",
    .claims = {"E2"},
    .variants = kVariants,
};
