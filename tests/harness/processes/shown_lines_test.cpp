// Lines that come in pieces.
#include "harness/processes/shown_lines.h"

#include <gtest/gtest.h>

namespace gridlock::processes {
namespace {

TEST(ShownLines, AreWhole) {
  ShownLines lines(3);
  EXPECT_EQ(lines.add("lo"), "");
  EXPECT_EQ(lines.add("ss 0.1\nlo"), "[rank 3] loss 0.1\n");
  EXPECT_EQ(lines.add("ss 0.2\n\n"), "[rank 3] loss 0.2\n[rank 3] \n");
  EXPECT_EQ(lines.rest(), "");
}

TEST(ShownLines, TheLastNeedsNoEnd) {
  ShownLines lines(0);
  lines.add("a\nb");
  EXPECT_EQ(lines.rest(), "[rank 0] b\n");
  EXPECT_EQ(lines.rest(), "");
}

TEST(ShownLines, AProgressBarIsShownAsItGrows) {
  ShownLines lines(0);
  EXPECT_EQ(lines.add("10%\r"), "[rank 0] 10%\n");
  EXPECT_EQ(lines.add("20%\r"), "[rank 0] 20%\n");
  EXPECT_EQ(lines.add("\n"), "");
  EXPECT_EQ(lines.add("\n"), "[rank 0] \n");
}

TEST(ShownLines, WithoutARankAreAsTheyWerePrinted) {
  ShownLines lines(-1);
  EXPECT_EQ(lines.add("\r10%\r20%"), "\r10%\r");
  EXPECT_EQ(lines.add("\r\n\n"), "20%\r\n\n");
  EXPECT_EQ(lines.add("end"), "");
  EXPECT_EQ(lines.rest(), "end\n");
}

TEST(ShownLines, ALineWithoutEndIsShownInParts) {
  ShownLines lines(-1);
  const std::string part(100000, 'x');
  EXPECT_EQ(lines.add(part), part);
}

}  // namespace
}  // namespace gridlock::processes
