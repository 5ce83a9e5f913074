// Two threads launch on the same devices, and NCCL is asked to keep the order of launches.
//
// Lesson    NCCL_LAUNCH_ORDER_IMPLICIT=1 (NCCL 2.26) launches kernels in the order in which the
//           program calls them. Two threads that call at the same time have no order, and it may
//           differ between devices or ranks: that is the crossed order again. NCCL notices it if
//           one thread comes between the two halves of another one's launch. Then the call returns
//           ncclInvalidUsage (NCCL_LAUNCH_RACE_FATAL=1, the default).
// Watch     It is a race, so it may take many calls until NCCL notices. Until then nothing is
//           wrong to see, and before 2.26 NCCL never says anything.
// Cure      Make all calls on a device's communicators from one thread, or let a lock go around
//           them with an order that is equal on all ranks. NCCL_LAUNCH_RACE_FATAL=0 only silences
//           the message.
// In PyTorch
//     Thread(target=lambda: dist.all_reduce(x, group=other)).start()   # bug: a second thread
//     dist.all_reduce(y)                                               # calls meanwhile
//     dist.all_reduce(y); dist.all_reduce(x, group=other)              # cure: one thread
// Seen in   NCCL's release notes, 2.26.2; ncclStrongStreamRelease in src/misc/strongstream.cc

#include <nccl.h>

#include <array>
#include <future>
#include <vector>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/label.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kDevices = 2;
constexpr int kCalls = 100;  // of each thread
constexpr int kCount = 64;

struct Member {
  int device = 0;
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  Buffer<float> data = {};
};
using Members = std::array<Member, kDevices>;

// A communicator of both devices, and its connections.
Members open_members(Rank& rank) {
  const int available = device_count(kDevices, "one process drives two devices");
  Members members;
  std::array<ncclComm_t, kDevices> communicators{};
  std::array<int, kDevices> devices{};
  for (int at = 0; at < kDevices; ++at) {
    Member& member = members[static_cast<std::size_t>(at)];
    member.device = (rank.local_rank() * kDevices + at) % available;
    devices[static_cast<std::size_t>(at)] = member.device;
    check(cudaSetDevice(member.device));
    member.stream = open_stream();
    member.data = Buffer<float>(kCount, member.stream);
    check(kernels::launch_fill(member.data.data(), kCount, 1, member.stream));
  }
  check(ncclCommInitAll(communicators.data(), kDevices, devices.data()));
  for (std::size_t at = 0; at < kDevices; ++at) members[at].communicator = communicators[at];
  return members;
}

// The greatest of ones, on both devices.
void reduce(const Members& members) {
  check(ncclGroupStart());
  for (const Member& member : members) {
    check(ncclAllReduce(member.data.data(), member.data.data(), kCount, ncclFloat32, ncclMax,
                        member.communicator, member.stream));
  }
  check(ncclGroupEnd());
}

void reduce_often(const Members& members) {
  const Label label("reduce");
  for (int call = 0; call < kCalls; ++call) reduce(members);
}

void finish(Rank& rank, const std::array<Members, 2>& both) {
  for (const Members& members : both) {
    for (const Member& member : members) {
      check(cudaSetDevice(member.device));
      float first = 0;
      check(cudaMemcpyAsync(&first, member.data.data(), sizeof first, cudaMemcpyDeviceToHost,
                            member.stream));
      rank.wait_for(member.stream);
      rank.report().numbers(first == 1, "the greatest of ones, exact");
    }
  }
}

void run(Rank& rank, bool second_thread) {
  const std::array<Members, 2> both{open_members(rank), open_members(rank)};
  for (const Members& members : both) reduce(members);
  rank.report().begin_steps();
  if (second_thread) {
    auto second = std::async(std::launch::async, [&] { reduce_often(both[1]); });  // BUG
    reduce_often(both[0]);
    second.get();
  } else {
    for (const Members& members : both) reduce_often(members);
  }
  rank.report().step_done();
  finish(rank, both);
}

void one_thread(Rank& rank) { run(rank, false); }
void two_threads(Rank& rank) { run(rank, true); }

// Unless no thread comes between the halves of another one's launch. Our own NCCL does not look.
Expectation refused_from_2_26(int) {
  return completes().or_on_real_nccl(Outcome::fails).before(NCCL_VERSION(2, 26, 0), completes());
}

constexpr Setting kImplicitOrder{"NCCL_LAUNCH_ORDER_IMPLICIT", "1"};

constexpr Variant kVariants[] = {
    Variant{"one_thread", control, "one thread makes the calls of both communicators", one_thread,
            all_well, 1}
        .with({kImplicitOrder}),
    Variant{"two_threads", remedy, "two threads, and NCCL should keep their order: it refuses them",
            two_threads, refused_from_2_26, 1}
        .with({kImplicitOrder}),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "two threads launch at the same time where NCCL should keep the order",
    .ranks = 1,
    .variants = kVariants,
};
