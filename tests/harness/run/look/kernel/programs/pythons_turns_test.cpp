// Threads that look for Python's lock again.
#include "harness/run/look/kernel/programs/pythons_turns.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

using record::Awake;
using record::Sleep;

constexpr std::uint64_t kWord = 4096;

Sleep waits(std::uint64_t turns) {
  Sleep sleep;
  sleep.asleep = true;
  sleep.on = record::kPythonsLock;
  sleep.switches = turns;
  return sleep;
}

Sleep runs() {
  Sleep sleep;
  sleep.awake = Awake::runs;
  return sleep;
}

class Turns : public testing::Test {
 protected:
  Sleep look(std::int64_t tid, const Sleep& sleep) {
    return turns_.look(tid, sleep, sleep.asleep ? kWord : 0, [this](std::uint64_t word) {
      EXPECT_EQ(word, kWord);
      return lock_;
    });
  }
  PythonsTurns turns_;
  std::optional<PythonsLock> lock_ = PythonsLock{.holder = 1, .is_held = true, .turns = 5};
};

TEST_F(Turns, WhoOnlyLooksAgainStillWaits) {
  look(7, waits(5));
  EXPECT_TRUE(look(7, runs()).asleep);
  EXPECT_TRUE(look(7, runs()).asleep);
  EXPECT_FALSE(look(8, runs()).asleep) << "another thread";
}

TEST_F(Turns, WhoMayHaveHadItRuns) {
  for (const auto lock : {PythonsLock{.holder = 1, .is_held = true, .turns = 6},
                          PythonsLock{.holder = 1, .is_held = false, .turns = 5}}) {
    look(7, waits(5));
    lock_ = lock;
    EXPECT_FALSE(look(7, runs()).asleep);
    lock_ = PythonsLock{.holder = 1, .is_held = true, .turns = 5};
    EXPECT_FALSE(look(7, runs()).asleep) << "it was awake before";
  }
  look(7, waits(5));
  lock_ = {};
  EXPECT_FALSE(look(7, runs()).asleep);
}

TEST_F(Turns, WhoSleepsElsewhereHasLeftIt) {
  look(7, waits(5));
  Sleep other;
  other.asleep = true;
  other.on = "a futex";
  EXPECT_EQ(turns_.look(7, other, 0, [](std::uint64_t) { return std::nullopt; }).on, "a futex");
  EXPECT_FALSE(look(7, runs()).asleep);
}

}  // namespace
}  // namespace gridlock::run
