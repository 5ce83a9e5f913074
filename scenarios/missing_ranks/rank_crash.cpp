// A rank dies in the middle of a step.
//
// Lesson    A collective cannot complete without one of its members. The dead rank's peers wait in
//           their next all-reduce, and nothing tells them of the death: the kernel spins, and the
//           host waits for the stream. NCCL notices a broken network connection, and says so only
//           to a rank that asks (ncclCommGetAsyncError). Over the memory of one node there is no
//           connection that could break, so it never notices.
// Watch     The ranks that hang are healthy, and the culprit is gone. Its exit code or signal is in
//           the launcher's log, often long before the time-out that ends the others.
// Cure      Poll instead of waiting on the host, and ask both NCCL for its async error and somebody
//           outside NCCL who is left: the launcher, a store, a socket. Agree with all who are left
//           that the step has failed, and only then abort: that ends the hang. An abort may end
//           the peers' collectives too, with wrong numbers and no error: the kernel that is
//           aborted posts the steps that are left, without data. To go on, make a communicator of
//           those who are left, undo the interrupted step and repeat it. Shrinking the old
//           communicator (NCCL 2.27) is shorter, but fails on a rank that NCCL has told of the
//           loss.
// In PyTorch
//     TORCH_NCCL_ASYNC_ERROR_HANDLING=0 srun python train.py    # bug: nobody asks, nobody reaps
//     torchrun --max-restarts 3 train.py                        # cure: ends all and starts again,
//     state = torch.load("last.pt")                             #       from the last checkpoint
// Seen in   NVIDIA/nccl#140 (the polling loop), #279 (within one host NCCL may notice nothing; the
//           launcher, which reaps the dead rank, must say it then)

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stdexcept>
#include <string>

#include "scenarios/scenario.h"
#include "scenarios/training/recovery/survivors.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;

enum class End { none, sigkill, sigsegv, exit_code };

[[noreturn]] void die(End how) {
  if (how == End::exit_code) _exit(1);
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  const int signal = how == End::sigkill ? SIGKILL : SIGSEGV;
  ::signal(signal, SIG_DFL);
  raise(signal);
  _exit(2);  // not reached
}

// The two buckets of a step. The last rank dies between them.
void reduce(TinyTraining& training, int step, End end) {
  training.reduce_bucket(0);
  const bool dies = training.rank.is_last() && step == kBadStep;
  if (dies && end != End::none) {
    training.rank.wait_for(training.rank.stream());
    die(end);
  }
  training.reduce_bucket(1);
}

// Where a rank dies, an error report from another rank would go unnoticed. So a rank whose numbers
// are wrong dies too.
void verify(TinyTraining& training, int steps = kSteps) {
  if (!training.verify(steps, kBadStep)) die(End::sigsegv);
}

void train(Rank& rank, End end) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, end);  // BUG: one rank dies here, and nobody asks for errors
    training.update();
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  verify(training);
  close_communicator(training.communicator);
}

void nobody_dies(Rank& rank) { train(rank, End::none); }
void killed(Rank& rank) { train(rank, End::sigkill); }
void segmentation_fault(Rank& rank) { train(rank, End::sigsegv); }
void exits_with_error(Rank& rank) { train(rank, End::exit_code); }

void train_or_abort(Rank& rank, Asks asks) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, End::sigkill);
    if (!is_done(training, asks)) {
      // Nobody aborts before all have seen that the step failed: it would end for them, too.
      if (asks == Asks::nccl_and_peers) rank.rendezvous().survivors();
      check(ncclCommAbort(training.communicator));
      verify(training, step);  // the weights are those of the last whole step
      throw std::runtime_error("a peer died in step " + std::to_string(step) +
                               ": aborted; start again from the last checkpoint.");
    }
    training.update();
    rank.report().step_done();
  }
}

void ask_nccl_only(Rank& rank) { train_or_abort(rank, Asks::nccl); }
void abort_and_leave(Rank& rank) { train_or_abort(rank, Asks::nccl_and_peers); }  // FIX: asks both

void go_on(Rank& rank, Smaller how) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, End::sigkill);
    const bool is_whole = training.members.size() == static_cast<std::size_t>(rank.world_size());
    if (!is_done(training, is_whole ? Asks::nccl_and_peers : Asks::nccl)) {
      repeat_step_with(training, rank.rendezvous().survivors(), how);
    }
    training.update();  // only now, so an interrupted step never reaches the weights
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  rank.report().figure("ranks_left", static_cast<double>(training.members.size()));
  verify(training);
  close_communicator(training.communicator);
}

void shrink_and_go_on(Rank& rank) { go_on(rank, Smaller::by_shrink); }
void rebuild_and_go_on(Rank& rank) { go_on(rank, Smaller::by_rebuilding); }  // FIX

Expectation others_wait(int ranks) {
  return one_has_left(ranks, ranks - 1, second_bucket_in(kBadStep));
}

Expectation ends_by_itself(int ranks) { return crashes().culprits({ranks - 1}); }
// Only NCCL's network transports report a lost peer (src/transport/net_socket.cc in 2.28.9), not
// p2p.cc and shm.cc. Once one has, ncclCommShrink returns that error, up to 2.30.7
// (ncclCommEnsureReady in src/init.cc); who saw nothing waits for the rank that it refused.
Expectation ends_unless_the_transport_decides(int ranks) {
  return ends_by_itself(ranks).or_on_real_nccl(Outcome::stall).loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"nobody_dies", control, "the same loop, and nobody dies", nobody_dies},
    {"killed", broken, "the last rank is killed (SIGKILL) between two buckets", killed,
     others_wait},
    {"segmentation_fault", broken, "the last rank dies of SIGSEGV between two buckets",
     segmentation_fault, others_wait},
    {"exits_with_error", broken, "the last rank exits with code 1 between two buckets",
     exits_with_error, others_wait},
    {"ask_nccl_only", remedy, "the others ask NCCL for an async error, which it has over a network",
     ask_nccl_only, ends_unless_the_transport_decides},
    {"abort_and_leave", fix, "the others ask NCCL and each other, abort, say why and end",
     abort_and_leave, ends_by_itself},
    {"shrink_and_go_on", remedy,
     "the others shrink the communicator and go on; NCCL refuses if it has noticed the loss itself",
     shrink_and_go_on, ends_unless_the_transport_decides},
    {"rebuild_and_go_on", fix,
     "the others abort, make a communicator of those who are left, and go on", rebuild_and_go_on,
     ends_by_itself},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank dies in the middle of a step, and the others wait for it",
    .variants = kVariants,
};
