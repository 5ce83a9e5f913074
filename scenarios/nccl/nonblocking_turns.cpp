// Two non-blocking communicators take turns, in one thread.
//
// Lesson    The program is right, and NCCL was wrong. NCCL kept a thread's non-blocking group in
//           one variable of this thread until the next call on the same communicator. The group of
//           another communicator, its initialization or its next collective, overwrote this
//           variable, and NCCL launched the old collective a second time. In 2.23 to 2.25 that
//           happened even after ncclCommGetAsyncError had returned ncclSuccess; in 2.26, while it
//           still returned ncclInProgress.
// Watch     A crash in NCCL, or communicators that stay ncclInProgress for ever, so that all ranks
//           poll. Both come at the second communicator, long after the first one's collective.
// Cure      NCCL 2.27. Before: do not use the non-blocking mode. Or poll a communicator until
//           ncclSuccess and make one more call on it (ncclCommCount), before the thread turns to
//           another communicator.
// In PyTorch
//     TORCH_NCCL_USE_COMM_NONBLOCKING=1 torchrun train.py     # NCCL's bug before 2.27
//     TORCH_NCCL_USE_COMM_NONBLOCKING=0 torchrun train.py     # cure, where NCCL cannot be upgraded
// Seen in   NCCL's release notes, 2.26.2 (a non-blocking communicator that is created after a
//           non-blocking collective on another); ncclGroupJobMain in src/group.cc until 2.26.5;
//           pytorch#154055 (hangs with NCCL 2.26: PyTorch left the non-blocking mode)

#include <nccl.h>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

// A channel without its first collective.
Channel open(Rank& rank, const char* name, bool blocking = false) {
  const Label label("init");
  const cudaStream_t stream = open_stream();
  return {open_communicator(rank, name, blocking), stream, Buffer<float>(kChannelCount, stream),
          PinnedBuffer<float>(1)};
}

// all_reduce polls until ncclCommGetAsyncError returns ncclSuccess.
void reduce(const Channel& channel, const char* label, bool asks_again) {
  all_reduce(channel, label, 1);
  int members = 0;
  if (asks_again) check(ncclCommCount(channel.communicator, &members));  // FIX: ends the group
}

void take_turns(Rank& rank, const Channel& first, const Channel& second, bool asks_again) {
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    reduce(first, "first", asks_again);
    reduce(second, "second", asks_again);
    const auto sum = static_cast<float>(rank.world_size());
    const bool right = read(rank, first) == sum && read(rank, second) == sum;
    rank.report().numbers(right, "sums of ones, exact");
    rank.report().step_done();
  }
  for (const Channel* channel : {&first, &second}) close_communicator(channel->communicator);
}

void blocking(Rank& rank) {
  const Channel first = open(rank, "first", true);
  reduce(first, "first", false);
  take_turns(rank, first, open(rank, "second", true), false);
}

void poll(Rank& rank, bool asks_again) {
  const Channel first = open(rank, "first");
  reduce(first, "first", asks_again);
  take_turns(rank, first, open(rank, "second"), asks_again);
}

void polled(Rank& rank) { poll(rank, false); }
void asked_again(Rank& rank) { poll(rank, true); }

void not_polled(Rank& rank) {
  const Channel first = open(rank, "first");
  float* data = first.data.data();
  const ncclResult_t started = ncclAllReduce(data, data, kChannelCount, ncclFloat32, ncclSum,
                                             first.communicator, first.stream);
  const Channel second = open(rank, "second");
  check_or_await(started, first.communicator);
  take_turns(rank, first, second, false);
}

// Which of these depends on how far the first group has come when it is overwritten.
Expectation wrong() {
  return crashes().or_on_real_nccl(Outcome::stall).or_on_real_nccl(Outcome::fails);
}
// Up to 2.22, a collective that connects nothing was no group of its own (ncclGroupEndInternal in
// src/group.cc): the call launched it.
Expectation right_before_2_23() { return completes().before(NCCL_VERSION(2, 23, 0), completes()); }
Expectation wrong_before_2_26_2(int) {
  return right_before_2_23().before(NCCL_VERSION(2, 26, 2), wrong());
}
Expectation wrong_before_2_27(int) {
  return right_before_2_23().before(NCCL_VERSION(2, 27, 0), wrong());
}

constexpr Variant kVariants[] = {
    {"blocking", control, "the same calls on blocking communicators", blocking},
    {"polled", remedy, "each collective is polled until ncclSuccess: needs NCCL 2.26.2", polled,
     wrong_before_2_26_2},
    {"not_polled", remedy, "one is still in progress at the second init: needs NCCL 2.27",
     not_polled, wrong_before_2_27},
    {"asked_again", fix, "polls, and makes one more call before turning to the other communicator",
     asked_again},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "two non-blocking communicators take turns in one thread",
    .variants = kVariants,
};
