// Rates by label, and who is behind.
#include "harness/run/look/pace.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

record::Snapshot rank_with(std::uint64_t first, std::uint64_t calls) {
  record::Snapshot snapshot;
  for (std::uint64_t i = first; i < first + calls; ++i) {
    record::Operation operation;
    operation.index = i;
    operation.call = record::Call::all_reduce;
    operation.label = record::Label("loss");
    snapshot.operations.push_back(operation);
  }
  return snapshot;
}

TEST(Pace, TellsTheRateOfTheSlowestRank) {
  Pace pace;
  pace.look(std::vector{rank_with(0, 1), rank_with(0, 1)}, kSecond);
  pace.look(std::vector{rank_with(0, 20), rank_with(0, 24)}, 3 * kSecond);
  EXPECT_EQ(pace.tell(3 * kSecond), "loss 10.0/s; rank 0 is slowest, 4 calls behind");
}

TEST(Pace, CountsNothingTwice) {
  Pace pace;
  const std::vector ranks{rank_with(0, 10)};
  pace.look(ranks, kSecond);
  pace.look(ranks, 2 * kSecond);
  EXPECT_EQ(pace.tell(2 * kSecond), "loss 10.0/s");
  pace.look(ranks, 3 * kSecond);
  EXPECT_EQ(pace.tell(3 * kSecond), "no calls");
}

TEST(Pace, BeforeTheFirstLookThereIsNothing) { EXPECT_EQ(Pace().tell(kSecond), "no calls"); }

}  // namespace
}  // namespace gridlock::run
