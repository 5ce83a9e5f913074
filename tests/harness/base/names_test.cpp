// Names and durations as people type them.
#include "harness/base/names.h"

#include <gtest/gtest.h>

#include "harness/base/duration.h"
#include "harness/base/error.h"

namespace gridlock {
namespace {

TEST(Names, WildcardsAreTheShells) {
  EXPECT_TRUE(fits("uneven_*", "uneven_batches"));
  EXPECT_TRUE(fits("[su]*_batch?s", "uneven_batches"));
  EXPECT_FALSE(fits("uneven", "uneven_batches"));
}

TEST(Names, EditDistanceCountsLetters) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("same", "same"), 0U);
}

TEST(Names, TheNearestMustResemble) {
  const std::vector<std::string> names{"uneven_batches", "stray_synchronize"};
  EXPECT_EQ(nearest("unevn_batches", names), "uneven_batches");
  EXPECT_EQ(nearest("zzzz", names), "");
}

TEST(Duration, NeedsAUnit) {
  EXPECT_EQ(parse_duration("500ms"), std::chrono::milliseconds(500));
  EXPECT_EQ(parse_duration("1.5s"), std::chrono::milliseconds(1500));
  EXPECT_EQ(parse_duration("2min"), std::chrono::minutes(2));
  for (const char* bad : {"", "5", "ms", "-1s", "0s", "1 day", "nan s", "infs", "1e300s"}) {
    EXPECT_THROW(parse_duration(bad), UsageError) << bad;
  }
}

TEST(Duration, IsPrintedAsItIsWritten) {
  for (const char* text : {"1 ms", "0.25 ms", "999 ms", "1 s", "1.5 s", "90 s", "86400 s"}) {
    std::string given = text;
    given.erase(given.find(' '), 1);
    EXPECT_EQ(duration_text(parse_duration(given)), text);
  }
}

}  // namespace
}  // namespace gridlock
