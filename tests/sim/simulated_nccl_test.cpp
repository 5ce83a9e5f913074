// NCCL's handles where the simulation says more than NCCL does: one that is none any more is
// noticed.
#include <gtest/gtest.h>

#include "tests/sim/nccl_ranks.h"

namespace {

TEST(SimulatedNccl, AnAbortedCommunicatorIsNoticed) {
  ncclUniqueId id{};
  ncclComm_t comm = nullptr;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  ASSERT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  EXPECT_EQ(ncclCommAbort(comm), ncclInvalidArgument) << "the handle is of no use any more";
}

}  // namespace
