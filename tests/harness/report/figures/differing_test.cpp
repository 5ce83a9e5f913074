// The list of runs that are not as declared, at the end of a session.
#include "harness/report/figures/differing.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

TEST(Differing, NothingIsSaidWhereAllIsAsDeclared) {
  EXPECT_EQ(differing_text({hang(), healthy("even", "control", 200), skipped()}), "");
}

TEST(Differing, AWatchDeclaresNothing) {
  report::Run watched = hang();
  watched.expected.clear();
  watched.as_declared = false;
  EXPECT_EQ(differing_text({watched}), "");
}

TEST(Differing, NamesTheRunWhatWasDeclaredAndWhoWaits) {
  EXPECT_EQ(differing_text(session().runs),
            "\nNot as declared:\n"
            "WRONG uneven_batches/padding (4 ranks): deadlock (rank_exited): rank 3 is to blame, "
            "step 300 us, score 0\n"
            "  declared: completes\n"
            "  ranks 0-2 wait in all_reduce #41 \"gradients/bucket 0\" on world at launch_bucket "
            "(reducer.cpp:88), host in stream_synchronize\n"
            "  rank 3: exited with code 0\n"
            "  assumes: 1 thread never makes a call\n"
            "ERROR uneven_batches/join (4 ranks): 3 processes could not be killed\n");
}

TEST(Differing, ALongListIsCut) {
  report::Run wrong = healthy("padding", "fix", 300);
  wrong.as_declared = false;
  const std::string text = differing_text(std::vector<report::Run>(12, wrong));
  EXPECT_NE(text.find("... and 2 more\n"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2 + 10 * 2 + 1) << text;
}

}  // namespace
}  // namespace gridlock::report
