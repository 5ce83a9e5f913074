// Groups: several devices by one thread, several communicators, several streams; split and shrink.
#include <gtest/gtest.h>

#include <barrier>
#include <latch>

#include "tests/sim/nccl/ranks.h"

namespace {

using namespace sim_test;

TEST(NcclGroup, OneThreadDrivesSeveralDevices) {
  constexpr int kDevices = 4;
  std::vector<ncclComm_t> comms(kDevices);
  check(ncclCommInitAll(comms.data(), kDevices, nullptr));
  std::vector<std::unique_ptr<Device<int>>> data;
  std::vector<cudaStream_t> streams(kDevices);
  for (int device = 0; device < kDevices; ++device) {
    check_cuda(cudaSetDevice(device));
    check_cuda(cudaStreamCreateWithFlags(&streams[static_cast<std::size_t>(device)],
                                         cudaStreamNonBlocking));
    data.push_back(std::make_unique<Device<int>>(5000, device));
  }
  for (int round = 0; round < 3; ++round) {
    check(ncclGroupStart());
    for (std::size_t i = 0; i < kDevices; ++i) {
      check(ncclAllReduce(data[i]->data(), data[i]->data(), 5000, ncclInt, ncclMax, comms[i],
                          streams[i]));
    }
    check(ncclGroupEnd());
  }
  for (std::size_t i = 0; i < kDevices; ++i) {
    check_cuda(cudaStreamSynchronize(streams[i]));
    EXPECT_EQ(data[i]->read(), std::vector<int>(5000, kDevices - 1));
  }
  // One thread destroys them one after the other, so only the last call may wait.
  for (const ncclComm_t comm : comms) check(ncclCommDestroy(comm));
}

TEST(NcclGroup, InitAllChecksItsDevices) {
  std::vector<ncclComm_t> comms(2);
  const int twice[] = {1, 1};
  const int missing[] = {0, 4000};
  EXPECT_EQ(ncclCommInitAll(comms.data(), 2, twice), ncclInvalidUsage);
  EXPECT_EQ(ncclCommInitAll(comms.data(), 2, missing), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitAll(comms.data(), -1, nullptr), ncclInvalidArgument);
}

TEST(NcclGroup, NothingIsEnqueuedBeforeTheEnd) {
  with_ranks(2, [](Rank& rank) {
    const Device<int> one(1, 1);
    check(ncclGroupStart());
    check(ncclGroupStart());
    check(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
    check(ncclGroupEnd());
    rank.synchronize();
    require(one.read().front() == 1, "it ran before the outer group ended");
    check(ncclGroupEnd());
    rank.synchronize();
    require(one.read().front() == 2, "wrong sum");
  });
}

// A blocking stream with work would wait for the legacy stream.
TEST(NcclGroup, WhatARankSendsToItselfInPlaceIsNoWork) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> one(1, 1);
    cudaStream_t blocking = nullptr;
    check_cuda(cudaStreamCreate(&blocking));
    std::latch open(1);
    check_cuda(cudaLaunchHostFunc(
        nullptr, [](void* latch) { static_cast<std::latch*>(latch)->wait(); }, &open));
    check(ncclGroupStart());
    check(ncclSend(one.data(), 1, ncclInt, 0, rank.comm, blocking));
    check(ncclRecv(one.data(), 1, ncclInt, 0, rank.comm, blocking));
    check(ncclGroupEnd());
    check_cuda(cudaStreamSynchronize(blocking));
    open.count_down();
    check_cuda(cudaStreamSynchronize(nullptr));
  });
}

TEST(NcclGroup, AnErrorDropsTheWholeGroup) {
  with_ranks(2, [](Rank& rank) {
    const Device<int> one(1, 1);
    const Device<int> out(1, 0);
    check(ncclGroupStart());
    check(ncclAllReduce(one.data(), out.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
    require(ncclBroadcast(one.data(), one.data(), 1, ncclInt, 9, rank.comm, rank.stream) ==
                ncclInvalidArgument,
            "root accepted");
    require(ncclGroupEnd() == ncclInvalidArgument, "the group forgot its error");
    rank.synchronize();
    require(out.read().front() == 0, "a part of the group ran");
    check(ncclGroupStart());
    check(ncclGroupEnd());
  });
}

TEST(NcclGroup, SeveralStreamsAreOrderedByTheUnit) {
  with_ranks(2, [](Rank& rank) {
    cudaStream_t second = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    const Device<int> a(3000, 1);
    const Device<int> b(3000, 1);
    check_cuda(cudaMemsetAsync(b.data(), 0, 3000 * sizeof(int), second));
    check(ncclGroupStart());
    check(ncclAllReduce(a.data(), a.data(), 3000, ncclInt, ncclSum, rank.comm, rank.stream));
    check(ncclAllReduce(b.data(), b.data(), 3000, ncclInt, ncclSum, rank.comm, second));
    check(ncclGroupEnd());
    check_cuda(cudaStreamSynchronize(second));
    require(a.read() == std::vector<int>(3000, 2), "the second stream did not wait for the unit");
    require(b.read() == std::vector<int>(3000, 0), "the unit did not wait for the second stream");
    rank.synchronize();
    check_cuda(cudaStreamDestroy(second));
  });
}

TEST(NcclGroup, UnitsOfOneCommunicatorRunInIssueOrderOnTwoStreams) {
  with_ranks(2, [](Rank& rank) {
    cudaStream_t streams[2] = {rank.stream, nullptr};
    check_cuda(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking));
    const Device<int> data(3000, 1);
    for (int i = 0; i < 40; ++i) {
      // Max and a doubling sum alternate, so another order gives another result.
      check(ncclAllReduce(data.data(), data.data(), 3000, ncclInt, i % 4 == 3 ? ncclSum : ncclMax,
                          rank.comm, streams[(i + rank.rank) % 2]));
    }
    for (const cudaStream_t stream : streams) check_cuda(cudaStreamSynchronize(stream));
    require(data.read() == std::vector<int>(3000, 1 << 10), "wrong order");
    check_cuda(cudaStreamDestroy(streams[1]));
  });
}

TEST(NcclGroup, TwoCommunicatorsCrossedOnOneStreamNeverComplete) {
  std::barrier both_have_looked(2);
  with_ranks(2, [&](Rank& rank) {
    Witness witness(rank);
    ncclComm_t second = nullptr;
    check(ncclCommSplit(rank.comm, 0, rank.rank, &second, nullptr));
    rank.connect(rank.comm);
    rank.connect(second);
    const Device<int> one(1, 1);
    const ncclComm_t order[2] = {rank.rank == 0 ? rank.comm : second,
                                 rank.rank == 0 ? second : rank.comm};
    for (const ncclComm_t comm : order) {
      check(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, comm, rank.stream));
    }
    witness.fifty_rounds();
    require(rank.pending(), "crossed communicators completed");
    both_have_looked.arrive_and_wait();  // the first abort lets the stream go on to the second call
    // In one group, because an abort may wait for the other rank's, and this one's order differs.
    check(ncclGroupStart());
    check(ncclCommAbort(rank.comm));
    check(ncclCommAbort(second));
    check(ncclGroupEnd());
    rank.synchronize();
    rank.comm = nullptr;
    witness.close();
  });
}

TEST(NcclSplit, ByColourAndKey) {
  with_ranks(5, [](Rank& rank) {
    const int color = rank.rank == 4 ? NCCL_SPLIT_NOCOLOR : rank.rank % 2;
    ncclComm_t part = nullptr;
    check(ncclCommSplit(rank.comm, color, -rank.rank, &part, nullptr));
    require((part == nullptr) == (rank.rank == 4), "a communicator without a colour");
    if (part == nullptr) return;
    int number = -1;
    check(ncclCommUserRank(part, &number));
    require(number == (rank.rank < 2 ? 1 : 0), "not ordered by the key");
    const Device<int> data(2000, rank.rank);
    check(ncclAllReduce(data.data(), data.data(), 2000, ncclInt, ncclSum, part, rank.stream));
    rank.synchronize();
    require(data.read() == std::vector<int>(2000, rank.rank % 2 == 0 ? 2 : 4), "wrong sum");
    check(ncclCommDestroy(part));
  });
}

TEST(NcclSplit, ManyInARow) {
  with_ranks(3, [](Rank& rank) {
    for (int round = 0; round < 10; ++round) {
      ncclComm_t part = nullptr;
      check(ncclCommSplit(rank.comm, (rank.rank + round) % 3 == 0 ? 1 : 0, 0, &part, nullptr));
      int count = 0;
      check(ncclCommCount(part, &count));
      require(count == ((rank.rank + round) % 3 == 0 ? 1 : 2), "wrong members");
      check(ncclCommDestroy(part));
    }
  });
}

TEST(NcclSplit, AfterOneInARefusedGroup) {
  with_ranks(2, [](Rank& rank) {
    const Device<int> one(1, 1);
    ncclComm_t part = nullptr;
    check(ncclGroupStart());
    check(ncclCommSplit(rank.comm, 0, 0, &part, nullptr));
    require(ncclBroadcast(one.data(), one.data(), 1, ncclInt, 9, rank.comm, rank.stream) ==
                ncclInvalidArgument,
            "root accepted");
    require(ncclGroupEnd() == ncclInvalidArgument, "the group forgot its error");
    require(part == nullptr, "a communicator from a group that was refused");
    check(ncclCommSplit(rank.comm, 0, 0, &part, nullptr));
    int count = 0;
    check(ncclCommCount(part, &count));
    require(count == 2, "wrong members");
    check(ncclCommDestroy(part));
  });
}

TEST(NcclShrink, WithoutARankThatTakesNoPart) {
  with_ranks(3, [](Rank& rank) {
    if (rank.rank == 1) return;
    int excluded[] = {1};
    ncclComm_t rest = nullptr;
    check(ncclCommShrink(rank.comm, excluded, 1, &rest, nullptr, NCCL_SHRINK_DEFAULT));
    const Device<int> data(1, rank.rank);
    check(ncclAllReduce(data.data(), data.data(), 1, ncclInt, ncclSum, rest, rank.stream));
    rank.synchronize();
    require(data.read().front() == 2, "wrong sum");
    int self[] = {rank.rank};
    require(ncclCommShrink(rank.comm, self, 1, &rest, nullptr, NCCL_SHRINK_DEFAULT) ==
                ncclInvalidArgument,
            "a rank excluded itself");
  });
}

}  // namespace
