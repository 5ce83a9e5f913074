// Two communicators share their connections, and a group makes the first collective of both.
//
// Lesson    The program is right, and NCCL before 2.26.2 was wrong. Communicators that are split
//           from one with splitShare use one set of connections. In a group, NCCL connected all
//           communicators at the same time, each in a thread of its own. Both threads then made the
//           same connection, or one rank's thread found a connection made that its peer's thread
//           was still waiting to make.
// Watch     It depends on who is faster: all ranks hang in ncclGroupEnd, or it returns an error, or
//           a rank goes on and leaves while the others wait. Only the first collective is affected.
// Cure      NCCL 2.26.2 connects one communicator after the other. Before: make the first
//           collective of each communicator outside the group, or set NCCL_RUNTIME_CONNECT=0, or do
//           not share.
// In PyTorch
//     opts.config.split_share = 1                     # NCCL's bug before 2.26.2
//     for g in (tensor, data): dist.barrier(group=g)  # cure: connects them one after the other
// Seen in   NCCL's release notes, 2.26.2 (communicators that share resources are connected in one
//           group); groupLaunch in src/group.cc, "clique by clique"

#include <nccl.h>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

ncclComm_t open_parent(Rank& rank) {
  const Label label("init");
  const ncclUniqueId id = share_unique_id(rank);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.splitShare = 1;
  ncclComm_t parent = nullptr;
  check(ncclCommInitRankConfig(&parent, rank.world_size(), id, rank.rank(), &config));
  return parent;
}

// A channel of all members of `parent`, without its first collective.
Channel split(ncclComm_t parent) {
  const Label label("split");
  const cudaStream_t stream = open_stream();
  ncclComm_t part = nullptr;
  check(ncclCommSplit(parent, 0, 0, &part, nullptr));
  return {part, stream, Buffer<float>(kChannelCount, stream), PinnedBuffer<float>(1)};
}

[[gnu::noinline]] void reduce_grouped(const Channel& first, const Channel& second) {
  const Label label("grouped");
  for (const Channel* channel : {&first, &second}) {
    check(kernels::launch_fill(channel->data.data(), kChannelCount, 1, channel->stream));
  }
  check(ncclGroupStart());
  for (const Channel* channel : {&first, &second}) {
    check(ncclAllReduce(channel->data.data(), channel->data.data(), kChannelCount, ncclFloat32,
                        ncclSum, channel->communicator, channel->stream));
  }
  check(ncclGroupEnd());
}

void train(Rank& rank, bool connects_before) {
  const ncclComm_t parent = open_parent(rank);
  const Channel first = split(parent);
  const Channel second = split(parent);
  if (connects_before) {
    all_reduce(first, "connect", 1);  // FIX: one communicator after the other
    all_reduce(second, "connect", 1);
  }
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    reduce_grouped(first, second);
    const auto sum = static_cast<float>(rank.world_size());
    const bool right = read(rank, first) == sum && read(rank, second) == sum;
    rank.report().numbers(right, "sums of ones, exact");
    rank.report().step_done();
  }
  for (const ncclComm_t one : {second.communicator, first.communicator, parent}) {
    close_communicator(one);
  }
}

void connected_in_group(Rank& rank) { train(rank, false); }
void connected_before(Rank& rank) { train(rank, true); }

// Two threads race, and any end is possible.
Expectation wrong() {
  return stall(Cause::none)
      .or_on_real_nccl(Outcome::deadlock)
      .or_on_real_nccl(Outcome::fails)
      .or_on_real_nccl(Outcome::crashes);
}
// Up to 2.21, the initialization makes all connections. 2.22 to 2.24 make them in the first
// collective if the device also has RDMA (ncclIsCuMemSupported in src/misc/cudawrap.cc), which the
// simulation has not.
Expectation hangs_before_2_26_2(int) {
  return completes()
      .before(NCCL_VERSION(2, 22, 0), completes())
      .before(NCCL_VERSION(2, 25, 0), wrong().or_on_real_nccl(Outcome::completes))
      .before(NCCL_VERSION(2, 26, 2), wrong());
}

constexpr Variant kVariants[] = {
    {"connected_in_group", remedy, "the first collectives share a group: needs NCCL 2.26.2",
     connected_in_group, hangs_before_2_26_2},
    {"connected_before", fix, "each communicator makes its first collective alone",
     connected_before},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "communicators that share connections make them in one group",
    .variants = kVariants,
};
