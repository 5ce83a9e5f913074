// Ranks, lists and names that a program chose.
#include "harness/base/text.h"

#include <gtest/gtest.h>

namespace gridlock {
namespace {

TEST(Text, RanksAreRanges) {
  EXPECT_EQ(range_text({}), "");
  EXPECT_EQ(range_text({4}), "4");
  EXPECT_EQ(range_text({4, 5}), "4, 5");
  EXPECT_EQ(range_text({0, 1, 2, 3, 4, 5, 6, 9}), "0-6, 9");
  EXPECT_EQ(ranks_text({}), "no rank");
  EXPECT_EQ(ranks_text({3}), "rank 3");
  EXPECT_EQ(ranks_text({0, 1, 2, 5, 7, 8}), "ranks 0-2, 5, 7, 8");
}

TEST(Text, Joins) {
  EXPECT_EQ(join_text({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(join_text({"a", "b"}, "; "), "a; b");
  EXPECT_EQ(join_text({}), "");
}

TEST(Text, ControlCharactersAreNotPrinted) {
  EXPECT_EQ(printable("a\x1b[2J\nb\t"), "a?[2J\nb\t");
  EXPECT_EQ(on_one_line("a\nb\tc\r"), "a b c?");
  EXPECT_EQ(quoted("two\nlines"), " \"two lines\"");
  EXPECT_EQ(quoted(""), "");
}

}  // namespace
}  // namespace gridlock
