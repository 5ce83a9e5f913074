// Nonblocking communicators: split, shrink and destroy.
#include <gtest/gtest.h>

#include <atomic>

#include "tests/sim/nccl/ranks.h"

namespace {

using namespace sim_test;

// Ranks as threads, each with a nonblocking communicator, which is destroyed at the end.
void with_non_blocking_ranks(int ranks, const std::function<void(Rank&)>& body) {
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  as_threads(ranks, [&](int rank) {
    Rank self{.rank = rank, .ranks = ranks, .id = id};
    self.make_stream();
    ncclConfig_t config = not_blocking();
    require(ncclCommInitRankConfig(&self.comm, ranks, id, rank, &config) == ncclInProgress,
            "it blocked");
    await(self.comm);
    body(self);
    check(ncclCommDestroy(self.comm));  // blocks nevertheless
    check_cuda(cudaStreamDestroy(self.stream));
  });
}

void expect_sum_of_ones(const Rank& rank, ncclComm_t comm, int members) {
  const Device<int> one(1, 1);
  accept(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, comm, rank.stream));
  await(comm);
  rank.synchronize();
  require(one.read().front() == members, "wrong sum");
}

void wait_for(const std::atomic<bool>& flag) {
  while (!flag.load()) sched_yield();
}

TEST(NcclNonBlocking, DestroyBlocks) {
  with_non_blocking_ranks(2, [](Rank& rank) { expect_sum_of_ones(rank, rank.comm, 2); });
}

// `derive` makes a communicator of the first two ranks. The first rank calls it before the second.
void expect_done_when_the_parent_says_so(
    int ranks, const std::function<ncclResult_t(const Rank&, ncclComm_t*)>& derive) {
  std::atomic<bool> looked = false;
  with_non_blocking_ranks(ranks, [&](Rank& rank) {
    if (rank.rank > 1) return;
    if (rank.rank == 1) wait_for(looked);
    ncclComm_t part = rank.comm;
    accept(derive(rank, &part));
    if (rank.rank == 0) {
      require(part == nullptr, "a handle before the others came");
      require(state(rank.comm) == ncclInProgress, "done before the others came");
      looked.store(true);
    }
    await(rank.comm);
    require(part != nullptr, "no handle although the parent is ready");
    check(state(part));
    expect_sum_of_ones(rank, part, 2);
    check(ncclCommDestroy(part));
  });
}

TEST(NcclNonBlocking, SplitIsDoneWhenTheParentSaysSo) {
  expect_done_when_the_parent_says_so(2, [](const Rank& rank, ncclComm_t* part) {
    return ncclCommSplit(rank.comm, 0, rank.rank, part, nullptr);
  });
}

TEST(NcclNonBlocking, ShrinkIsDoneWhenTheParentSaysSo) {
  expect_done_when_the_parent_says_so(3, [](const Rank& rank, ncclComm_t* part) {
    int excluded[] = {2};
    return ncclCommShrink(rank.comm, excluded, 1, part, nullptr, NCCL_SHRINK_DEFAULT);
  });
}

TEST(NcclNonBlocking, SplitAndShrinkAreRefusedWhileASplitIsUnderWay) {
  std::atomic<bool> refused = false;
  with_non_blocking_ranks(2, [&](Rank& rank) {
    if (rank.rank == 1) wait_for(refused);
    ncclComm_t none = nullptr;
    accept(ncclCommSplit(rank.comm, NCCL_SPLIT_NOCOLOR, 0, &none, nullptr));
    if (rank.rank == 0) {
      ncclComm_t part = nullptr;
      int excluded[] = {1};
      require(ncclCommSplit(rank.comm, 0, 0, &part, nullptr) == ncclInvalidArgument,
              "a second split was accepted");
      require(ncclCommShrink(rank.comm, excluded, 1, &part, nullptr, NCCL_SHRINK_DEFAULT) ==
                  ncclInvalidArgument,
              "a shrink was accepted");
      refused.store(true);
    }
    await(rank.comm);
    require(none == nullptr, "a communicator without a colour");
  });
}

}  // namespace
