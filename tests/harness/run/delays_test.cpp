// Delays of processes from outside: some are made, and nobody stays stopped.
#include "harness/run/delays.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>

namespace gridlock::run {
namespace {

// Returns what the kernel says of the child's state changes that nobody has asked for yet.
int changes(pid_t child) {
  int status = 0;
  return waitpid(child, &status, WNOHANG | WUNTRACED | WCONTINUED) == child ? status : 0;
}

TEST(Delays, AProcessIsStoppedAndGoesOn) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  auto delays = std::make_unique<Delays>(7);
  while (delays->count() < 3) usleep(1000);
  EXPECT_GT(delays->total(), 3 * kShortestDelay);
  delays.reset();
  // The last change is that it went on.
  int last = 0;
  for (int status = changes(child); status != 0; status = changes(child)) last = status;
  EXPECT_TRUE(WIFCONTINUED(last));
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Delays, WithoutAProcessThereAreNone) {
  auto delays = std::make_unique<Delays>(7);
  usleep(20'000);
  EXPECT_EQ(delays->count(), 0);
}

TEST(Delays, TheStretchedLimitHoldsTheLimitUndisturbed) {
  // Of any span at most half, and one delay more, is spent stopped.
  constexpr Duration kSpan = with_delays(kStallLimit);
  EXPECT_GE(kSpan - (kSpan + kLongestDelay) / 2, kStallLimit);
}

}  // namespace
}  // namespace gridlock::run
