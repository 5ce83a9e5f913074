// An alarm gets a timer beside it that /proc shows, for as long as it is set. A child inherits
// neither.
#include <gtest/gtest.h>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

TEST(Alarms, ShowAsTimers) {
  Recorded child(part("alarms"));
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(child.output(), "no timer\na timer\nno timer\nno timer\na timer\nno timer\n");
}

}  // namespace
}  // namespace gridlock
