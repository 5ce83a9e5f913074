// The detector reads the buffer setting exactly as the simulation does.
#include "harness/run/start/sim_buffer.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

TEST(SimBuffer, IsBytesOrANumberWithAUnit) {
  EXPECT_EQ(sim_size("512"), 512U);
  EXPECT_EQ(sim_size("64K"), 64U << 10U);
  EXPECT_EQ(sim_size("4M"), 4U << 20U);
  EXPECT_EQ(sim_size("1G"), 1U << 30U);
}

TEST(SimBuffer, IsRefusedWhereTheSimulationRefusesIt) {
  for (const char* text : {"", "1.5M", "4MiB", "K", "four", "-1", "4m"}) {
    EXPECT_FALSE(sim_size(text)) << text;
  }
}

}  // namespace
}  // namespace gridlock::run
