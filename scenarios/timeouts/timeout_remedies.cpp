// A collective never ends, and somebody puts a time-out around it.
//
// Lesson    A signal handler runs in the thread that hangs, and the call that hangs goes on when
//           the handler returns. So nobody looks at a flag that the handler sets. Python's handlers
//           are worse: they run between bytecodes, and no next bytecode comes. An exception
//           that unwinds through the frames of a C library kills the process, or leaves the
//           library's locks taken: the driver of an H100 let it through.
// Watch     An alarm or a watchdog that exits does end the hang, but only after the whole limit,
//           and nothing is saved. Neither knows whether the run was stuck or slow.
// Cure      Let a second thread abort the communicator. The wait ends. The program has its thread
//           back, so it can save and say what happened.
// In PyTorch
//     signal.signal(signal.SIGALRM, give_up); signal.alarm(60)
//     loss.item()                                    # bug: give_up runs when this returns: never
//     dist.init_process_group("nccl", timeout=timedelta(seconds=60))     # cure: NCCL's watchdog
//     # TORCH_NCCL_ASYNC_ERROR_HANDLING=1: aborts the communicators, then ends the process
// Seen in   PyTorch's NCCL watchdog; Python's `signal` ("Execution of Python signal handlers");
//           python/cpython#72652

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <stdexcept>

#include "scenarios/scenario.h"
#include "scenarios/training/recovery/watchdog.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kBadStep = 3;
// Longer than the delays of a soak test, and shorter than the stall limit.
constexpr std::chrono::milliseconds kLimit(800);

// Rank 0 does not come to the bad step. Before it leaves, it waits for nothing, for a signal from
// each other rank, or for their end. With a wait, the time-out comes before the proof.
enum class Until { now, told, others_end };

void leave(Rank& rank, Until until) {
  for (int peer = 1; peer < rank.world_size(); ++peer) {
    if (until == Until::told) rank.rendezvous().await_signal(peer);
    if (until == Until::others_end) rank.rendezvous().await_end(peer);
  }
  // A process closes its sockets shortly before it is gone. If rank 0 left in between, the other
  // rank would seem to wait for a rank that has left.
  constexpr timespec kMoment{.tv_sec = 0, .tv_nsec = 50'000'000};
  if (until == Until::others_end) nanosleep(&kMoment, nullptr);
}

// Trains. BUG: rank 0 does not come to the bad step. `guarded` runs each step's wait.
template <typename Guarded>
void train(Trainer& trainer, Until until, Guarded guarded) {
  Rank& rank = trainer.rank();
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0 && step == kBadStep) return leave(rank, until);
    trainer.forward(standard_batch(rank, step));
    trainer.backward();
    trainer.step();
    guarded([&] { trainer.loss_item(); });
    rank.report().step_done();
  }
}

// Runs `wait` with an alarm that sends SIGALRM after the limit.
template <typename Wait>
void with_alarm(Wait wait) {
  const auto usec = std::chrono::duration_cast<std::chrono::microseconds>(kLimit).count();
  const itimerval on{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = usec}};
  const itimerval off{};
  setitimer(ITIMER_REAL, &on, nullptr);
  wait();
  setitimer(ITIMER_REAL, &off, nullptr);
}

volatile sig_atomic_t timed_out = 0;

void train_with_alarm(Rank& rank, Until until, void (*handler)(int)) {
  Trainer trainer(rank, one_bucket());
  struct sigaction action {};
  action.sa_handler = handler;
  sigaction(SIGALRM, &action, nullptr);
  train(trainer, until, [](auto wait) {
    with_alarm(wait);
    if (timed_out != 0) throw std::runtime_error("timed out");
  });
}

void no_remedy(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, Until::now, [](auto wait) { wait(); });
}

Rank* alarmed = nullptr;

// Sets a flag, and tells rank 0 by a send, which a signal handler may call. The wait goes on, so
// nobody looks at the flag.
void set_flag(int) {
  timed_out = 1;
  alarmed->rendezvous().signal(0);
}

void alarm_sets_flag(Rank& rank) {
  alarmed = &rank;
  train_with_alarm(rank, Until::told, set_flag);
}

void alarm_throws(Rank& rank) {
  train_with_alarm(rank, Until::others_end, [](int) { throw std::runtime_error("timed out"); });
}

void alarm_exits(Rank& rank) {
  train_with_alarm(rank, Until::others_end, [](int) { _exit(1); });
}

void train_with_watchdog(Rank& rank, Watchdog::Action action) {
  Trainer trainer(rank, one_bucket());
  Watchdog watchdog(trainer.world().communicator(), kLimit, action);
  train(trainer, Until::others_end, [&](auto wait) { watchdog.guard(wait); });
}

void watchdog_exits(Rank& rank) { train_with_watchdog(rank, Watchdog::Action::exits); }

// FIX: the wait ends, and the program says why
void watchdog_aborts(Rank& rank) { train_with_watchdog(rank, Watchdog::Action::aborts); }

void watchdog_on_healthy_run(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  Watchdog watchdog(trainer.world().communicator(), std::chrono::seconds(10),
                    Watchdog::Action::aborts);
  for (int step = 0; step < kSteps; ++step) {
    watchdog.guard([&] { trainer.train_on(standard_batch(rank, step)); });
  }
  watchdog.stop();
  finish_run(trainer, steps_without(kSteps));
}

Expectation rank_zero_has_gone(int ranks) {
  return one_has_left_at_once(ranks, 0, TrainingRun{}.gradients(kBadStep));
}
Expectation others_die(int ranks) {
  return crashes().or_on(Backend::cuda, Outcome::fails).culprits(all_but(ranks, 0));
}
Expectation others_end(int ranks) { return fails().culprits(all_but(ranks, 0)); }
// The others end the run, but rank 0 caused the hang.
Expectation others_end_the_hang_of_rank_zero(int) { return fails().culprits({0}); }

constexpr Variant kVariants[] = {
    {"watchdog_on_healthy_run", control, "a watchdog that has nothing to do",
     watchdog_on_healthy_run},
    {"no_remedy", broken, "rank 0 leaves, the others wait", no_remedy, rank_zero_has_gone},
    {"alarm_sets_flag", remedy,
     "SIGALRM sets a flag; the wait goes on, so nobody looks at the flag", alarm_sets_flag,
     rank_zero_has_gone},
    {"alarm_throws", remedy, "SIGALRM's handler throws, and the process dies or ends of it",
     alarm_throws, others_die},
    {"alarm_exits", remedy, "SIGALRM's handler exits: the hang ends with everything unsaved",
     alarm_exits, others_end},
    {"watchdog_exits", remedy, "a watchdog thread exits: the hang ends with everything unsaved",
     watchdog_exits, others_end},
    {"watchdog_aborts", fix,
     "a watchdog thread aborts the communicator: the wait ends, and the program says why",
     watchdog_aborts, others_end_the_hang_of_rank_zero},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a collective never ends, and time-outs are put around it",
    .claims = {"B9", "E2"},
    .variants = kVariants,
};
