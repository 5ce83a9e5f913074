// Making communicators and closing them.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>

#include "tests/sim/nccl/ranks.h"

namespace {

using namespace sim_test;

ncclUniqueId unique_id() {
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  return id;
}

TEST(NcclInit, SaysWhoItIs) {
  with_ranks(3, [](Rank& rank) {
    int value = -1;
    check(ncclCommUserRank(rank.comm, &value));
    require(value == rank.rank, "wrong rank");
    check(ncclCommCount(rank.comm, &value));
    require(value == 3, "wrong count");
    check(ncclCommCuDevice(rank.comm, &value));
    require(value == rank.rank, "wrong device");
    require(state(rank.comm) == ncclSuccess, "an error in a fresh communicator");
  });
}

TEST(NcclInit, OneRankAlone) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> in(9, 5);
    const Device<int> out(9);
    check(ncclAllReduce(in.data(), out.data(), 9, ncclInt, ncclSum, rank.comm, rank.stream));
    rank.synchronize();
    require(out.read() == std::vector<int>(9, 5), "wrong copy");
  });
}

TEST(NcclInit, NonBlockingForms) {
  const ncclUniqueId id = unique_id();
  as_threads(2, [&](int rank) {
    check_cuda(cudaSetDevice(rank));
    ncclConfig_t config = not_blocking();
    ncclComm_t comm = nullptr;
    require(ncclCommInitRankConfig(&comm, 2, id, rank, &config) == ncclInProgress, "it blocked");
    while (state(comm) == ncclInProgress) sched_yield();
    check(state(comm));
    const Device<int> one(1, 1);
    accept(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, comm, cudaStreamPerThread));
    await(comm);
    check_cuda(cudaStreamSynchronize(cudaStreamPerThread));
    require(one.read().front() == 2, "wrong sum");
    const ncclResult_t finalized = ncclCommFinalize(comm);
    require(finalized == ncclInProgress || finalized == ncclSuccess, "finalize failed");
    while (state(comm) == ncclInProgress) sched_yield();
    check(ncclCommDestroy(comm));
  });
}

TEST(NcclInit, NonBlockingWithAMissingRankEndsByAbort) {
  ncclConfig_t config = not_blocking();
  ncclComm_t comm = nullptr;
  ASSERT_EQ(ncclCommInitRankConfig(&comm, 2, unique_id(), 0, &config), ncclInProgress);
  for (int look = 0; look < 100; ++look) {
    ASSERT_EQ(state(comm), ncclInProgress);
    sched_yield();
  }
  EXPECT_EQ(ncclAllReduce(&config, &config, 1, ncclInt, ncclSum, comm, nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
}

// Two ranks of a nonblocking communicator that cannot form. Then both are aborted.
void expect_never_forms(int first_ranks, int first_rank, int second_ranks, int second_rank) {
  const ncclUniqueId id = unique_id();
  ncclConfig_t config = not_blocking();
  ncclComm_t first = nullptr;
  ncclComm_t second = nullptr;
  check_cuda(cudaSetDevice(0));
  ASSERT_EQ(ncclCommInitRankConfig(&first, first_ranks, id, first_rank, &config), ncclInProgress);
  check_cuda(cudaSetDevice(1));
  ASSERT_EQ(ncclCommInitRankConfig(&second, second_ranks, id, second_rank, &config),
            ncclInProgress);
  with_ranks(2, [](Rank&) {});  // another communicator forms meanwhile
  EXPECT_EQ(state(first), ncclInProgress);
  EXPECT_EQ(state(second), ncclInProgress);
  check(ncclCommAbort(first));
  check(ncclCommAbort(second));
}

TEST(NcclInit, DifferentWorldSizesNeverForm) { expect_never_forms(2, 0, 3, 1); }

TEST(NcclInit, TheSameRankTwiceNeverForms) { expect_never_forms(2, 0, 2, 0); }

TEST(NcclInit, TwoRanksOnOneDeviceAreRefused) {
  const ncclUniqueId id = unique_id();
  std::atomic<int> refused{0};
  as_threads(2, [&](int rank) {
    check_cuda(cudaSetDevice(0));
    ncclComm_t comm = nullptr;
    if (ncclCommInitRank(&comm, 2, id, rank) == ncclInvalidUsage) refused.fetch_add(1);
    require(std::string(ncclGetLastError(comm)).find("Duplicate GPU") != std::string::npos,
            "the error does not say why");
    check(ncclCommDestroy(comm));
  });
  EXPECT_EQ(refused.load(), 2);
}

TEST(NcclInit, AbortEndsAStuckStreamAndNothingElse) {
  std::barrier both_aborted(2);
  with_ranks(2, [&](Rank& rank) {
    Witness witness(rank);
    rank.connect(rank.comm);
    const Device<int> one(1, 1);
    if (rank.rank == 0) {
      for (int i = 0; i < 5; ++i) {
        check(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
      }
    }
    witness.fifty_rounds();
    require(rank.pending() == (rank.rank == 0), "the lone rank went on");
    check(ncclCommAbort(rank.comm));
    rank.synchronize();
    // In one process, the last abort frees the memory of all ranks (commReclaim in NCCL's init.cc),
    // which waits for all work on their devices. So no rank may wait for that one meanwhile.
    both_aborted.arrive_and_wait();
    witness.fifty_rounds();
    rank.comm = nullptr;
    witness.close();
  });
}

TEST(NcclInit, RevokeStopsTheWorkAndLetsTheCommunicatorBeSplit) {
  with_ranks(2, [](Rank& rank) {
    rank.connect(rank.comm);
    const Device<int> one(1, 1);
    if (rank.rank == 0) {
      check(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
    }
    check(ncclCommRevoke(rank.comm, NCCL_REVOKE_DEFAULT));
    rank.synchronize();
    require(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream) ==
                ncclInvalidUsage,
            "work was accepted after revoke");
    ncclComm_t again = nullptr;
    check(ncclCommSplit(rank.comm, 0, 0, &again, nullptr));
    check(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, again, rank.stream));
    rank.synchronize();
    check(ncclCommDestroy(again));
  });
}

TEST(NcclInit, RevokeComesOnce) {
  with_ranks(2, [](Rank& rank) {
    check(ncclCommRevoke(rank.comm, NCCL_REVOKE_DEFAULT));
    require(ncclCommRevoke(rank.comm, NCCL_REVOKE_DEFAULT) == ncclInvalidArgument,
            "a second revoke was accepted");
  });
}

TEST(NcclInit, NothingButDestroyComesAfterFinalize) {
  with_ranks(2, [](Rank& rank) {
    check(ncclCommFinalize(rank.comm));
    require(ncclCommRevoke(rank.comm, NCCL_REVOKE_DEFAULT) == ncclInvalidArgument,
            "a revoke was accepted after finalize");
    require(ncclCommFinalize(rank.comm) == ncclInvalidArgument, "a second finalize was accepted");
  });
}

TEST(NcclInit, ArgumentsAreChecked) {
  const ncclUniqueId id = unique_id();
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclGetUniqueId(nullptr), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(nullptr, 1, id, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 0, id, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, 2), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 2, id, -1), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 1, ncclUniqueId{}, 0), ncclInternalError);
  ncclConfig_t config{};
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, id, 0, &config), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(nullptr), ncclSuccess);
  int number = 0;
  EXPECT_EQ(ncclCommCount(nullptr, &number), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
}

TEST(NcclInit, CallsCheckTheirArguments) {
  with_ranks(1, [](Rank& rank) {
    const Device<int> d(4);
    int* p = d.data();
    const auto all_reduce = [&](const void* from, ncclDataType_t type, int op, ncclComm_t comm) {
      return ncclAllReduce(from, p, 4, type, static_cast<ncclRedOp_t>(op), comm, rank.stream);
    };
    require(all_reduce(p, ncclNumTypes, 0, rank.comm) == ncclInvalidArgument, "type accepted");
    require(all_reduce(p, ncclInt, 5, rank.comm) == ncclInvalidArgument, "reduction accepted");
    require(all_reduce(p, ncclInt, 0, nullptr) == ncclInvalidArgument, "null comm accepted");
    require(ncclBroadcast(p, p, 4, ncclInt, 1, rank.comm, rank.stream) == ncclInvalidArgument,
            "root accepted");
    require(ncclSend(p, 4, ncclInt, -1, rank.comm, rank.stream) == ncclInvalidArgument,
            "peer accepted");
    require(std::string(ncclGetLastError(rank.comm)).find("Send") != std::string::npos,
            "the last error does not name the call");
    check(all_reduce(p, ncclInt, 0, rank.comm));
  });
}

TEST(NcclInit, PointersAreCheckedOnRequest) {
  setenv("NCCL_CHECK_POINTERS", "1", 1);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        with_ranks(1, [](Rank& rank) {
          const Device<int> d(4);
          require(ncclAllReduce(d.data(), nullptr, 4, ncclInt, ncclSum, rank.comm, rank.stream) ==
                      ncclInvalidArgument,
                  "null accepted");
        });
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("NCCL_CHECK_POINTERS");
}

TEST(NcclInit, ErrorStringsAndVersion) {
  int version = 0;
  check(ncclGetVersion(&version));
  EXPECT_EQ(version, NCCL_VERSION_CODE);
  EXPECT_STREQ(ncclGetErrorString(ncclSuccess), "no error");
  EXPECT_STREQ(ncclGetErrorString(ncclInProgress), "NCCL operation in progress");
  EXPECT_STREQ(ncclGetErrorString(ncclNumResults), "unknown result code");
  for (int result = 1; result < ncclNumResults; ++result) {
    EXPECT_STRNE(ncclGetErrorString(static_cast<ncclResult_t>(result)), "unknown result code");
  }
}

}  // namespace
