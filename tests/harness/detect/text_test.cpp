// The small texts of verdicts.
#include "harness/detect/text.h"

#include <gtest/gtest.h>

namespace gridlock::detect {
namespace {

TEST(Text, Ranges) {
  EXPECT_EQ(range_text({0, 1, 2, 3, 4, 5, 6, 9}), "0–6, 9");
  EXPECT_EQ(range_text({4}), "4");
  EXPECT_EQ(range_text({4, 5}), "4, 5");
  EXPECT_EQ(range_text({}), "");
  EXPECT_EQ(ranks_text({4}), "rank 4");
  EXPECT_EQ(ranks_text({1, 2, 3}), "ranks 1–3");
}

TEST(Text, Joins) {
  EXPECT_EQ(join_text({"a", "b", "c"}), "a, b and c");
  EXPECT_EQ(join_text({"a", "b"}, "; "), "a; b");
  EXPECT_EQ(join_text({}), "");
}

TEST(Text, Calls) {
  EXPECT_EQ(call_text(record::Call::all_reduce, 41), "all_reduce #41");
  EXPECT_EQ(call_text(record::Call::comm_init, 0), "comm_init");
}

}  // namespace
}  // namespace gridlock::detect
