// The watchdog ends a wait that lasts too long, and leaves all others alone.
#include "scenarios/training/watchdog.h"

#include <gtest/gtest.h>

#include "scenarios/runtime/channel.h"
#include "tests/scenarios/ranks.h"

namespace gridlock {
namespace {

using testing::run_ranks;

TEST(Watchdog, LetsAWaitEndByItself) {
  run_ranks(2, [](Rank& rank) {
    const Channel channel = open_channel(rank, "world");
    Watchdog watchdog(channel.communicator, std::chrono::minutes(10), Watchdog::Action::aborts);
    for (int step = 0; step < 3; ++step) {
      watchdog.guard([&] { train_step(rank, channel, step); });
    }
    watchdog.stop();
    close_communicator(channel.communicator);
  });
}

// Rank 1 does not call. The abort ends rank 0's wait, and the program has its thread back.
TEST(Watchdog, EndsAWaitForARankThatDoesNotCome) {
  run_ranks(2, [](Rank& rank) {
    const Channel channel = open_channel(rank, "world");
    if (rank.rank() == 0) {
      Watchdog watchdog(channel.communicator, std::chrono::milliseconds(20),
                        Watchdog::Action::aborts);
      all_reduce(channel, "gradients", 1);
      EXPECT_THROW(watchdog.guard([&] { cudaStreamSynchronize(channel.stream); }),
                   std::runtime_error);
    }
    rank.rendezvous().exchange("over");
    if (rank.rank() == 1) check(ncclCommAbort(channel.communicator));
  });
}

}  // namespace
}  // namespace gridlock
