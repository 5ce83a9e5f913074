// The watchdog ends a wait that lasts too long, and leaves all others alone.
#include "scenarios/training/recovery/watchdog.h"

#include <gtest/gtest.h>

#include <thread>

#include "scenarios/runtime/channel.h"
#include "tests/scenarios/ranks.h"

namespace gridlock {
namespace {

using testing::run_ranks;

// The limit applies to a single wait. Each pause between two waits is longer than that. A watchdog
// that stays armed between waits, or counts from the first wait, would abort, and the next step
// would fail.
TEST(Watchdog, LetsAWaitEndByItself) {
  constexpr std::chrono::milliseconds kLimit(500);
  run_ranks(2, [&](Rank& rank) {
    const Channel channel = open_channel(rank, "world");
    Watchdog watchdog(channel.communicator, kLimit, Watchdog::Action::aborts);
    for (int step = 0; step < 3; ++step) {
      EXPECT_NO_THROW(watchdog.guard([&] { train_step(rank, channel, step); })) << step;
      std::this_thread::sleep_for(kLimit + kLimit / 4);
    }
    watchdog.stop();
    ncclResult_t error = ncclInternalError;
    EXPECT_EQ(ncclCommGetAsyncError(channel.communicator, &error), ncclSuccess);
    EXPECT_EQ(error, ncclSuccess);
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
