// NCCL's handles and states, where the simulation specifies more than NCCL, or where only the
// simulation can tell early from late.
#include <gtest/gtest.h>

#include "tests/sim/nccl/ranks.h"

namespace {

using sim_test::check;
using sim_test::not_blocking;
using sim_test::Rank;
using sim_test::require;
using sim_test::state;

// A nonblocking communicator of one rank.
ncclComm_t alone() {
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  ncclConfig_t config = not_blocking();
  ncclComm_t comm = nullptr;
  EXPECT_EQ(ncclCommInitRankConfig(&comm, 1, id, 0, &config), ncclInProgress);
  while (state(comm) == ncclInProgress) sched_yield();
  return comm;
}

TEST(SimulatedNccl, AnAbortedCommunicatorIsNoticed) {
  ncclUniqueId id{};
  ncclComm_t comm = nullptr;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = not_blocking();
  ASSERT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  EXPECT_EQ(ncclCommAbort(comm), ncclInvalidArgument) << "the handle is invalid now";
}

// A rank that has gone without closing would hold up the other's destroy for ever.
TEST(SimulatedNccl, DestroyAfterRevokeCountsAsClosed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(sim_test::run_processes(2,
                                      [](Rank& rank) {
                                        rank.init();
                                        if (rank.rank == 0) {
                                          check(ncclCommRevoke(rank.comm, NCCL_REVOKE_DEFAULT));
                                        }
                                        check(ncclCommDestroy(rank.comm));
                                      }),
              testing::ExitedWithCode(0), "");
}

TEST(SimulatedNccl, SplitAfterADroppedGroup) {
  sim_test::with_ranks(2, [](Rank& rank) {
    ncclComm_t part = nullptr;
    if (rank.rank == 0) {
      check(ncclGroupStart());
      check(ncclCommSplit(rank.comm, 0, 0, &part, nullptr));
      ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
      require(ncclGroupSimulateEnd(&info) == ncclInvalidUsage, "it is covered now");
    }
    check(ncclCommSplit(rank.comm, 0, 0, &part, nullptr));
    check(ncclCommDestroy(part));
  });
}

TEST(SimulatedNccl, AnInitInARefusedGroupHasFailed) {
  ncclUniqueId id{};
  ncclComm_t good = nullptr;
  ncclComm_t bad = nullptr;
  check(ncclGetUniqueId(&id));
  check(ncclGroupStart());
  check(ncclCommInitRank(&good, 2, id, 0));
  EXPECT_EQ(ncclCommInitRank(&bad, 2, id, 5), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
  EXPECT_EQ(state(good), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(good), ncclSuccess);
}

// The first split to end must not mark the parent as ready for the other.
TEST(SimulatedNccl, TwoSplitsInAGroupAreDoneTogether) {
  const ncclComm_t parent = alone();
  for (int round = 0; round < 50; ++round) {
    ncclComm_t parts[2] = {};
    check(ncclGroupStart());
    for (ncclComm_t& part : parts) check(ncclCommSplit(parent, 0, 0, &part, nullptr));
    ASSERT_EQ(ncclGroupEnd(), ncclInProgress);
    while (state(parent) == ncclInProgress) sched_yield();
    for (const ncclComm_t part : parts) {
      ASSERT_NE(part, nullptr);
      check(ncclCommDestroy(part));
    }
  }
  check(ncclCommDestroy(parent));
}

// The variable for the child's handle may be gone after the abort.
TEST(SimulatedNccl, AfterAnAbortNoChildComes) {
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  sim_test::as_threads(2, [&](int rank) {
    sim_test::check_cuda(cudaSetDevice(rank));
    ncclConfig_t config = not_blocking();
    ncclComm_t comm = nullptr;
    ncclComm_t part = nullptr;
    require(ncclCommInitRankConfig(&comm, 2, id, rank, &config) == ncclInProgress, "it blocked");
    sim_test::await(comm);
    if (rank == 0) check(ncclCommSplit(comm, 0, 0, &part, nullptr));
    check(ncclCommAbort(comm));
    sim_test::with_ranks(1, [](Rank&) {});  // another communicator forms meanwhile
    require(part == nullptr, "a communicator of one that was aborted");
  });
}

}  // namespace
