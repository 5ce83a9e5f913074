// Who can end a wait at a real descriptor.
#include "harness/run/look/kernel/descriptors/holders.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "tests/harness/run/look/kernel/descriptors/connected.h"

namespace gridlock::run {
namespace {

std::array<JobProcess, 1> this_process() {
  return {JobProcess{.pid = getpid(), .parent = getppid(), .key = 7, .is_rank = true}};
}

// A confirmation makes room. It wakes who writes, without any process that does something.
TEST(Holders, AConfirmationOfWhatWasReadMayWakeWhoWrites) {
  const Connected both(false);
  const auto job = this_process();
  ASSERT_TRUE(become_unconfirmed(both, [&] {
    Holders holders(job, Scope::host, false);
    const auto of_writer = holders.wakers(getpid(), both.near, Wanted::anything);
    const auto of_reader = holders.wakers(getpid(), both.near, Wanted::data);
    EXPECT_TRUE(of_reader && of_reader->keys == std::vector<record::ProcessKey>{7});
    return !of_writer;
  }));
}

TEST(Holders, OnceItHasComeNothingWakesWhoWritesButTheOtherEnd) {
  const Connected both(false);
  const auto job = this_process();
  Holders holders(job, Scope::host, false);
  const auto of_writer = holders.wakers(getpid(), both.near, Wanted::anything);
  EXPECT_TRUE(of_writer && of_writer->keys == std::vector<record::ProcessKey>{7});
}

}  // namespace
}  // namespace gridlock::run
