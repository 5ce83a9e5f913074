// One thread launches two communicators of two devices in one group, and never comes back.
//
// Lesson    The program is right, and NCCL before 2.26.2 was wrong. With NCCL_LAUNCH_MODE=GROUP, a
//           thread launches the kernels of a communicator's devices together: it enters a barrier
//           for each of them, and leaves when all have entered. In a group of several
//           communicators, NCCL recognized the devices of the first one only. It launched those of
//           the second one by one, so the first of them waited in the barrier for the next, which
//           the same thread would have entered later.
// Watch     The thread runs: ncclGroupEnd spins in the barrier. No kernel of the second
//           communicator has been launched, and no other rank has anything to do with it.
// Cure      NCCL 2.26.2 or later. Before: leave NCCL_LAUNCH_MODE alone, or launch one communicator
//           in each group.
// In PyTorch
//     no PyTorch spelling: since all_reduce_multigpu went, a process drives one device. In NCCL:
//     NCCL_LAUNCH_MODE=GROUP ./one_process_many_gpus     # NCCL's bug before 2.26.2
//     unset NCCL_LAUNCH_MODE                             # cure, where NCCL cannot be upgraded
// Seen in   doLaunches in NCCL's src/group.cc: 2.25.1 compares with the group's first communicator,
//           2.26.2 with the clique's; the release notes do not mention it

#include <nccl.h>

#include <vector>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/label.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kDevices = 2;        // of each process
constexpr int kCommunicators = 2;  // of all these devices
constexpr int kCount = 256;

// A device's part of a communicator.
struct Member {
  int device = 0;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  Buffer<float> data = {};
  PinnedBuffer<float> host = {};
};
using Members = std::vector<Member>;

Members open_members(const Rank& rank) {
  const int available = device_count(kDevices, "one thread drives two devices");
  Members members(kDevices);
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  for (int at = 0; at < kDevices; ++at) {
    Member& member = members[static_cast<std::size_t>(at)];
    member.device = (rank.local_rank() * kDevices + at) % available;
    check(cudaSetDevice(member.device));
    member.stream = open_stream();
    member.data = Buffer<float>(kCount, member.stream);
    member.host = PinnedBuffer<float>(1);
  }
  check(ncclGroupStart());
  for (int at = 0; at < kDevices; ++at) {
    Member& member = members[static_cast<std::size_t>(at)];
    check(cudaSetDevice(member.device));
    check(ncclCommInitRank(&member.communicator, kDevices, id, at));
  }
  check(ncclGroupEnd());
  return members;
}

void enqueue(const Members& members) {
  for (const Member& member : members) {
    check(cudaSetDevice(member.device));
    check(kernels::launch_fill(member.data.data(), kCount, 1, member.stream));
    check(ncclAllReduce(member.data.data(), member.data.data(), kCount, ncclFloat32, ncclSum,
                        member.communicator, member.stream));
  }
}

enum class Groups { one, one_each };

[[gnu::noinline]] void reduce_all(const std::vector<Members>& communicators, Groups groups) {
  const Label label("devices/all_reduce");
  if (groups == Groups::one) check(ncclGroupStart());
  for (const Members& members : communicators) {
    if (groups == Groups::one_each) check(ncclGroupStart());
    enqueue(members);
    if (groups == Groups::one_each) check(ncclGroupEnd());
  }
  if (groups == Groups::one) check(ncclGroupEnd());
}

void train(Rank& rank, Groups groups) {
  std::vector<Members> communicators;
  communicators.reserve(kCommunicators);
  for (int i = 0; i < kCommunicators; ++i) communicators.push_back(open_members(rank));
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    reduce_all(communicators, groups);
    for (const Members& members : communicators) {
      for (const Member& member : members) {
        check(cudaSetDevice(member.device));
        check(cudaMemcpyAsync(member.host.data(), member.data.data(), sizeof(float),
                              cudaMemcpyDeviceToHost, member.stream));
        rank.wait_for(member.stream);
        rank.report().numbers(member.host[0] == kDevices, "a sum of ones, exact");
      }
    }
    rank.report().step_done();
  }
}

void one_group(Rank& rank) { train(rank, Groups::one); }
void group_each(Rank& rank) { train(rank, Groups::one_each); }  // FIX: knows one communicator

// The host spins in a call of NCCL that no other rank can end.
Expectation hangs_before_2_26_2(int) {
  return completes().before(NCCL_VERSION(2, 26, 2), stall(Cause::none));
}

constexpr Setting kLaunchTogether{"NCCL_LAUNCH_MODE", "GROUP"};

constexpr Variant kVariants[] = {
    {"launch_mode_parallel", control, "one group, and NCCL's default launch mode", one_group,
     all_well, 1},
    Variant{"one_group", remedy, "one group, NCCL_LAUNCH_MODE=GROUP: needs NCCL 2.26.2", one_group,
            hangs_before_2_26_2, 1}
        .with({kLaunchTogether}),
    Variant{"group_each", fix, "NCCL_LAUNCH_MODE=GROUP, and a group for each communicator",
            group_each, all_well, 1}
        .with({kLaunchTogether}),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a thread launches two communicators in one group with NCCL_LAUNCH_MODE=GROUP",
    .ranks = 1,
    .variants = kVariants,
};
