// The simulation's own variables: whether first calls block, and how much a send can buffer. Each
// test runs in a fresh process, because the variables are read once.
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <functional>

#include "tests/sim/cuda/cuda_test.h"
#include "tests/sim/nccl/ranks.h"

namespace {

using sim_test::check;
using sim_test::Device;
using sim_test::Rank;

struct NcclSettings : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

using CallOf = std::function<void(Rank&, const Device<int>&)>;

// Whether the first call of rank 0 blocks its host thread until rank 1 comes: a thousand looks in a
// row must find the thread asleep in the call.
bool first_call_blocks(const CallOf& call) {
  std::atomic<bool> blocked{false};
  std::atomic<pid_t> caller{0};
  std::atomic<bool> returned{false};
  sim_test::with_ranks(2, [&](Rank& rank) {
    const Device<int> one(1, 1);
    if (rank.rank == 0) {
      caller.store(gettid());
      call(rank, one);
      returned.store(true);
    } else {
      while (caller.load() == 0) sched_yield();
      for (int looks = 0; !returned.load() && looks < 1000;) {
        looks = sim_test::thread_state(caller.load()) == 'S' ? looks + 1 : 0;
        sched_yield();
      }
      blocked.store(!returned.load());
      call(rank, one);
    }
    rank.synchronize();
  });
  return blocked.load();
}

void first_all_reduce(Rank& rank, const Device<int>& one) {
  check(ncclAllReduce(one.data(), one.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream));
}

void first_message(Rank& rank, const Device<int>& one) {
  check(rank.rank == 0 ? ncclSend(one.data(), 1, ncclInt, 1, rank.comm, rank.stream)
                       : ncclRecv(one.data(), 1, ncclInt, 0, rank.comm, rank.stream));
}

TEST_F(NcclSettings, LazyConnectBlocksTheHost) {
  EXPECT_EXIT(
      {
        setenv("GRIDLOCK_SIM_LAZY_CONNECT", "1", 1);
        const bool right = first_call_blocks(first_all_reduce) && first_call_blocks(first_message);
        _exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NcclSettings, WithoutLazyConnectTheHostGoesOn) {
  EXPECT_EXIT(
      {
        unsetenv("GRIDLOCK_SIM_LAZY_CONNECT");
        const bool blocks = first_call_blocks(first_message);
        _exit(blocks ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NcclSettings, TheBufferHasASettableSize) {
  EXPECT_EXIT(
      {
        setenv("GRIDLOCK_SIM_BUFFER", "0", 1);
        std::atomic<bool> right{true};
        sim_test::with_ranks(2, [&](Rank& rank) {
          sim_test::Witness witness(rank);
          const Device<int> one(1, 1);
          if (rank.rank == 0) check(ncclSend(one.data(), 1, ncclInt, 1, rank.comm, rank.stream));
          witness.fifty_rounds();
          if (rank.rank == 0 && !rank.pending()) right.store(false);
          witness.fifty_rounds();
          if (rank.rank == 1) check(ncclRecv(one.data(), 1, ncclInt, 0, rank.comm, rank.stream));
          rank.synchronize();
          witness.close();
        });
        _exit(right.load() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
