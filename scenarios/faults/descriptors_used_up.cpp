// One rank has no file descriptors left when it makes its communicator.
//
// Lesson    Every connection of NCCL takes descriptors: for sockets, for shared memory, for memory
//           handles. Their number is limited per process (ulimit -n, often 1024), and loaders, logs
//           and checkpoints take theirs first. The init fails on the rank that has none left, and
//           the others wait for it inside their init.
// Watch     NCCL says "system error" on one rank, and its log has the reason ("Too many open
//           files"). The others have no error. With more ranks a job needs more descriptors, so it
//           may fail at a size at which it was never run before.
// Cure      Raise the soft limit to the hard limit before anything is opened. A process may do that
//           without any right. Give the init a deadline, so that the others end too.
// In PyTorch
//     dist.init_process_group("nccl"); dist.barrier()            # bug: "Too many open files"
//     soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)    # cure: before all else
//     resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
// Seen in   NVIDIA/nccl#550 ("Too many open files", then "unhandled system error"), pytorch#973 and
//           #11201 (loaders use up the descriptors)

#include <sys/resource.h>
#include <unistd.h>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

// The last rank can open nothing more, as if all numbers up to its limit were in use. CUDA has what
// it needs by then.
void use_up_descriptors(const Rank& rank) {
  const Buffer<float> weights(kChannelCount, rank.stream());
  check(cudaStreamSynchronize(rank.stream()));
  if (!rank.is_last()) return;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const int next = dup(STDIN_FILENO);  // the lowest number that is free
  close(next);
  limit.rlim_cur = static_cast<rlim_t>(next);
  setrlimit(RLIMIT_NOFILE, &limit);
}

ncclComm_t open_world(Rank& rank) {
  const Label here("communicator/init");
  return open_communicator(rank, "world");
}

void train(Rank& rank) {
  const Channel channel = open_channel(open_world(rank), open_stream());
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void enough(Rank& rank) { train(rank); }

void used_up(Rank& rank) {
  use_up_descriptors(rank);  // BUG: nobody raises the limit
  train(rank);
}

void raise_the_limit(Rank& rank) {
  use_up_descriptors(rank);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;  // FIX: the hard limit is higher
  setrlimit(RLIMIT_NOFILE, &limit);
  train(rank);
}

// The others may learn of it when the socket of the last rank closes (src/bootstrap.cc of NCCL
// 2.28.9).
Expectation others_wait_in_init(int ranks) {
  return stall(Cause::init)
      .culprits({ranks - 1})
      .waiting(all_but(ranks, ranks - 1), {"communicator/init", Operation::comm_init})
      .or_on_real_nccl(Outcome::deadlock)
      .or_on_real_nccl(Outcome::fails)
      .loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"enough", control, "all ranks have descriptors left", enough},
    {"used_up", broken, "the last rank has none left; its init fails, and the others wait", used_up,
     others_wait_in_init},
    {"raise_the_limit", fix, "the rank raises its soft limit to the hard limit", raise_the_limit},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank has no file descriptors left when it makes its communicator",
    .variants = kVariants,
};
