// NCCL's handles and states where the simulation says more than NCCL does, or where only it can
// tell early from late.
#include <gtest/gtest.h>

#include "tests/sim/nccl_ranks.h"

namespace {

using sim_test::not_blocking;
using sim_test::Rank;
using sim_test::require;
using sim_test::state;

void check(ncclResult_t result,
           sim_test::SourceLocation where = sim_test::SourceLocation::current()) {
  sim_test::check(result, where);
}

TEST(SimulatedNccl, AnAbortedCommunicatorIsNoticed) {
  ncclUniqueId id{};
  ncclComm_t comm = nullptr;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = not_blocking();
  ASSERT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  EXPECT_EQ(ncclCommAbort(comm), ncclInvalidArgument) << "the handle is of no use any more";
}

// A rank that is gone without having closed would hold up the other's destroy for ever.
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

}  // namespace
