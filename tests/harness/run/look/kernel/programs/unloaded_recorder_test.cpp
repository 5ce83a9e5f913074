// What the dynamic loader says about the recorder, and when it counts.
#include "harness/run/look/kernel/programs/unloaded_recorder.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

const std::string kRefused =
    "ERROR: ld.so: object '/opt/gridlock/libgridlock_recorder.so' from LD_PRELOAD cannot be "
    "preloaded (wrong ELF class: ELFCLASS64): ignored.\n";

struct TwoRanks {
  explicit TwoRanks(const std::string& output) : snapshots(2), ranks(2) {
    snapshots[1].rank = 1;
    ranks[1].output = output;
  }
  std::string says() const { return unloaded_recorder(snapshots, ranks); }
  std::vector<record::Snapshot> snapshots;
  std::vector<RankEnd> ranks;
};

TEST(UnloadedRecorder, IsToldWithTheLoadersReason) {
  const std::string says = TwoRanks("starting\n" + kRefused + "epoch 1\n").says();
  EXPECT_NE(says.find("into rank 1"), std::string::npos) << says;
  EXPECT_NE(says.find(": wrong ELF class: ELFCLASS64;"), std::string::npos) << says;
}

TEST(UnloadedRecorder, IsNoneWhereTheLoaderSaysNothing) {
  EXPECT_EQ(TwoRanks("").says(), "");
  EXPECT_EQ(
      TwoRanks("ERROR: ld.so: object 'libother.so' from LD_PRELOAD cannot be preloaded (cannot "
               "open shared object file): ignored.\n")
          .says(),
      "");
  EXPECT_EQ(unloaded_recorder({}, {}), "");
}

// A helper of another architecture, started by a rank that is recorded.
TEST(UnloadedRecorder, IsNoneWhereTheRankIsRecorded) {
  TwoRanks two(kRefused);
  two.snapshots[1].threads.resize(1);
  EXPECT_EQ(two.says(), "");
}

}  // namespace
}  // namespace gridlock::run
