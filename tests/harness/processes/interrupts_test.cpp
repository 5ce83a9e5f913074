// Which signals count as requests to end, and which do not.
#include "harness/processes/interrupts.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace gridlock::processes {
namespace {

TEST(Interrupts, ARequestIsNotedAndNamed) {
  Interrupts interrupts;
  EXPECT_FALSE(interrupts.requested());
  EXPECT_EQ(interrupts.name(), "");
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(interrupts.requested());
  EXPECT_EQ(interrupts.name(), "SIGTERM");
}

TEST(Interrupts, WhatWasIgnoredStaysIgnored) {
  std::signal(SIGHUP, SIG_IGN);
  Interrupts interrupts;
  kill(getpid(), SIGHUP);
  EXPECT_FALSE(interrupts.requested());
}

TEST(Interrupts, TheEndOfTheGuardIsAlwaysHeard) {
  std::signal(SIGTERM, SIG_IGN);
  Interrupts interrupts;
  kill(getpid(), SIGTERM);
  EXPECT_TRUE(interrupts.requested());
}

}  // namespace
}  // namespace gridlock::processes
