// Delaying processes from outside: some delays happen, and no process stays stopped.
#include "harness/run/look/delays.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

namespace gridlock::run {
namespace {

// Returns the child's latest state change that nobody has collected yet.
int changes(pid_t child) {
  int status = 0;
  return waitpid(child, &status, WNOHANG | WUNTRACED | WCONTINUED) == child ? status : 0;
}

constexpr int kAlone = 1;

TEST(Delays, AProcessIsStoppedAndGoesOn) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  auto delays = std::make_unique<Delays>(7, kAlone);
  while (delays->made().count < 3) usleep(1000);
  EXPECT_GT(delays->made().total, 3 * kShortestDelay);
  delays.reset();
  // In the last change, it was continued.
  int last = 0;
  for (int status = changes(child); status != 0; status = changes(child)) last = status;
  EXPECT_TRUE(WIFCONTINUED(last));
  kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
}

TEST(Delays, WithoutAProcessThereAreNone) {
  const Delays delays(7, kAlone);
  usleep(20'000);
  EXPECT_EQ(delays.made().count, 0);
}

// There are so many agents that its rests are long, but it still ends at once.
TEST(Delays, NobodyWaitsForARest) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  auto delays = std::make_unique<Delays>(7, 1'000'000);
  while (delays->made().count == 0) usleep(1000);
  delays.reset();  // would otherwise take 1000 s and more, beyond the test's own limit
  kill(child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

// In the worst order: when the span begins, all of them begin to stop a rank for as long as
// possible, and never two at the same moment.
TEST(Delays, TheStretchedLimitHoldsTheLimitUndisturbed) {
  for (const int agents : {1, 2, 8, 1000}) {
    const Duration span = with_delays(kStallLimit, agents);
    const Duration cycle = 2 * agents * kLongestDelay;
    const Duration stopped_by_one =
        span / cycle * kLongestDelay + std::min<Duration>(span % cycle, kLongestDelay);
    EXPECT_GE(span - agents * stopped_by_one, kStallLimit) << agents;
  }
}

}  // namespace
}  // namespace gridlock::run
