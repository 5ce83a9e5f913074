#include "harness/base/port.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace gridlock {
namespace {

// Nothing listens there yet. A search begins at any of 12000 ports, so one in 40 of the other
// agent's would come upon the first one's.
TEST(FreePorts, AreNotGivenToTwoAgents) {
  const std::vector<int> own = free_ports(300);
  const pid_t other = fork();
  if (other == 0) {
    for (int search = 0; search < 2000; ++search) {
      if (std::ranges::find(own, free_ports(1).front()) != own.end()) _exit(1);
    }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace gridlock
