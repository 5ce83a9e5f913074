// Output within bounds.
#include "harness/processes/output.h"

#include <gtest/gtest.h>

#include "harness/base/file_descriptor.h"

namespace gridlock::processes {
namespace {

TEST(Output, KeepsTheBeginningAndTheEnd) {
  Output output(100);
  output.append("begin ");
  for (int i = 0; i < 1000; ++i) output.append("0123456789");
  output.append(" end");
  const std::string text = output.text();
  EXPECT_EQ(text.find("begin "), 0U);
  EXPECT_TRUE(text.ends_with(" end"));
  EXPECT_GT(output.dropped(), 9000U);
  EXPECT_LT(text.size(), 300U);
}

TEST(Output, IsWholeBelowTheBound) {
  Output output(100);
  output.append(std::string(40, 'a'));
  output.append(std::string(40, 'b'));
  EXPECT_EQ(output.text(), std::string(40, 'a') + std::string(40, 'b'));
  EXPECT_EQ(output.dropped(), 0U);
}

TEST(Output, LinesAreMarkedWithTheirRank) {
  EXPECT_EQ(prefixed("a\nb\n", 3), "[rank 3] a\n[rank 3] b\n");
  EXPECT_EQ(prefixed("begun", 0), "[rank 0] begun\n");
  EXPECT_EQ(prefixed("", 0), "");
  EXPECT_EQ(prefixed("\n\na", 0), "[rank 0] \n[rank 0] \n[rank 0] a\n");
}

TEST(Output, ACarriageReturnEndsALine) {
  EXPECT_EQ(prefixed("a\r\nb\r\n\r\n", 0), "[rank 0] a\n[rank 0] b\n");
  EXPECT_EQ(prefixed("\r10%\r20%\nend", 0), "[rank 0] 10%\n[rank 0] 20%\n[rank 0] end\n");
  EXPECT_EQ(prefixed("10%\r20%\r", 0), "[rank 0] 10%\n[rank 0] 20%\n");
}

TEST(Output, DrainTellsWhenTheWritersAreGone) {
  Pipe pipe = make_pipe();
  std::string text;
  EXPECT_TRUE(drain(pipe.read.get(), text));
  ASSERT_EQ(write(pipe.write.get(), "abc", 3), 3);
  EXPECT_TRUE(drain(pipe.read.get(), text));
  pipe.write.close();
  EXPECT_FALSE(drain(pipe.read.get(), text));
  EXPECT_EQ(text, "abc");
}

}  // namespace
}  // namespace gridlock::processes
