// The command line for mpiexec.
#include "harness/processes/mpiexec.h"

#include <gtest/gtest.h>

namespace gridlock::processes {
namespace {

TEST(Mpiexec, StartsEachRankWithAnEnvironmentOfItsOwn) {
  const std::vector<std::string> expected{
      "mpiexec", "-l",     "-n", "1",  "-env", "RANK", "0",    "-env", "FLAGS", "a=b",
      "train",   "--fast", ":",  "-n", "1",    "-env", "RANK", "1",    "train", "--fast"};
  EXPECT_EQ(under_mpiexec({"train", "--fast"}, {{"RANK=0", "FLAGS=a=b"}, {"RANK=1"}}), expected);
}

}  // namespace
}  // namespace gridlock::processes
