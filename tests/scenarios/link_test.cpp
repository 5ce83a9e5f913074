// No program breaks a link that is not a simulated host's.
#include "scenarios/runtime/link.h"

#include <gtest/gtest.h>

#include "scenarios/runtime/rank.h"

namespace gridlock {
namespace {

TEST(Link, NeedsASimulatedHost) {
  unsetenv("GRIDLOCK_SIM_LINK");
  EXPECT_THROW(Link(), CannotRunHere);
}

TEST(Link, SaysWhichLinkCannotBeSet) {
  setenv("GRIDLOCK_SIM_LINK", "nosuch0", 1);
  const Link link;
  unsetenv("GRIDLOCK_SIM_LINK");
  try {
    link.down();
    ADD_FAILURE() << "there is no such link";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(std::string(error.what()), "cannot set nosuch0 down: No such device");
  }
}

}  // namespace
}  // namespace gridlock
