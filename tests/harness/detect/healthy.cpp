// No state from which the job can go on may be called dead.
#include "tests/harness/detect/healthy.h"

namespace gridlock::detect::states {

std::ostream& operator<<(std::ostream& out, const Living& state) { return out << state.name; }

TEST_P(Healthy, IsNeverCalledDead) {
  World world = GetParam().make();
  const Finding finding = world.finding();
  EXPECT_FALSE(finding.proven && finding.settled);
  // None of these jobs is over: a rank that waits is not among the dead.
  EXPECT_EQ(finding.dead, std::vector<int>());
  EXPECT_EQ(world.verdict().outcome, Outcome::running);
}

}  // namespace gridlock::detect::states
