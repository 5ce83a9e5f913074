// Which changes of the sums count as signs of life.
#include "harness/run/look/beginning.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

constexpr Activity kBefore{.on_core = 1s, .bytes_read = 1 << 20, .pages = 1000};

Activity later(Duration on_core, std::uint64_t bytes, std::uint64_t pages) {
  return {.on_core = kBefore.on_core + on_core,
          .bytes_read = kBefore.bytes_read + bytes,
          .pages = kBefore.pages + pages};
}

TEST(Beginning, WhoPollsIsNotLively) {
  EXPECT_FALSE(is_lively(kBefore, later(0ms, 0, 0), 1s));
  EXPECT_FALSE(is_lively(kBefore, later(10ms, 4096, 3), 1s));
}

TEST(Beginning, WhoComputesReadsOrMapsIs) {
  EXPECT_TRUE(is_lively(kBefore, later(100ms, 0, 0), 1s));
  EXPECT_TRUE(is_lively(kBefore, later(0ms, 1 << 20, 0), 1s));
  EXPECT_TRUE(is_lively(kBefore, later(0ms, 0, 500), 1s));
}

TEST(Beginning, AProcessThatEndedIsASignOfLife) {
  EXPECT_TRUE(is_lively(kBefore, {.on_core = 900ms, .bytes_read = 1 << 19, .pages = 900}, 1s));
}

TEST(Beginning, OnlyRanksWithoutABoxCount) {
  record::Snapshot rank;
  EXPECT_TRUE(has_not_begun(rank));
  rank.claim = 1;
  EXPECT_FALSE(has_not_begun(rank));
  rank.claim = 0;
  rank.process = record::ProcessState::exited;
  EXPECT_FALSE(has_not_begun(rank));
}

}  // namespace
}  // namespace gridlock::run
