// Which messages must be taken before the next ones can be sent.
#include "harness/detect/graph/meetings/messages.h"

#include <gtest/gtest.h>

#include <vector>

namespace gridlock::detect {
namespace {

using Bytes = std::vector<std::uint64_t>;
using Taken = std::vector<std::size_t>;

TEST(TakenBefore, NothingWhereAllFits) {
  EXPECT_EQ(taken_before(Bytes{}, 10), Taken{});
  EXPECT_EQ(taken_before(Bytes{4, 3, 3}, 10), (Taken{0, 0, 0}));
}

TEST(TakenBefore, TheOldestThatMakeRoom) {
  EXPECT_EQ(taken_before(Bytes{4, 4, 4, 4}, 8), (Taken{0, 0, 1, 2}));
  EXPECT_EQ(taken_before(Bytes{1, 1, 8}, 8), (Taken{0, 0, 2}));
}

TEST(TakenBefore, ItselfWhereItIsTooLarge) {
  EXPECT_EQ(taken_before(Bytes{11}, 10), Taken{1});
  EXPECT_EQ(taken_before(Bytes{2, 11, 2}, 10), (Taken{0, 2, 2}));
}

TEST(TakenBefore, WithoutABufferEachWaitsForItsOwn) {
  EXPECT_EQ(taken_before(Bytes{1, 1}, 0), (Taken{1, 2}));
  EXPECT_EQ(taken_before(Bytes{0, 1}, 0), (Taken{0, 2}));  // an empty message need not be taken
}

}  // namespace
}  // namespace gridlock::detect
