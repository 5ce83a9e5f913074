// An MPI with another binary interface under the recorder.
#include <gtest/gtest.h>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

TEST(OtherMpi, PassesUnharmedAndIsNotRecorded) {
  Recorded child({GRIDLOCK_OTHER_PROGRAM});
  EXPECT_EQ(child.wait(), 0) << child.output();
  const record::Snapshot snapshot = child.look();
  EXPECT_EQ(snapshot.mpi, "not recorded: Open MPI v4.1.4, package: of a test");
  EXPECT_TRUE(snapshot.operations.empty());
  EXPECT_TRUE(snapshot.communicators.empty());
  EXPECT_EQ(snapshot.damage, "");
}

}  // namespace
}  // namespace gridlock
