// How a window of slots grows, and what it remembers about the calls in it.
#include "harness/detect/graph/meetings/slot_window.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace gridlock::detect {
namespace {

using record::Call;

const Shape kAllReduce{.call = Call::all_reduce, .datatype = 7, .bytes = 1024};

SlotWindow window(const std::vector<std::uint64_t>& numbers) {
  SlotWindow window;
  for (const std::uint64_t number : numbers) window.add(number, kAllReduce);
  return window;
}

std::vector<std::uint32_t> counts(const SlotWindow& window) {
  std::vector<std::uint32_t> counts;
  for (const SlotWindow::Calls& calls : window.calls()) counts.push_back(calls.count);
  return counts;
}

using Counts = std::vector<std::uint32_t>;

TEST(SlotWindow, IsEmptyAtFirst) { EXPECT_TRUE(SlotWindow().calls().empty()); }

TEST(SlotWindow, GrowsAtBothEnds) {
  const SlotWindow grown = window({70, 71, 70, 74, 68, 67, 71});
  EXPECT_EQ(grown.base(), 67U);
  EXPECT_EQ(counts(grown), (Counts{1, 1, 0, 2, 2, 0, 0, 1}));
}

TEST(SlotWindow, GrowsDownToTheFirstSlotOfAll) {
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t number = 100; number-- > 0;) numbers.push_back(number);
  const SlotWindow grown = window(numbers);
  EXPECT_EQ(grown.base(), 0U);
  EXPECT_EQ(counts(grown), Counts(100, 1));
}

TEST(SlotWindow, KeepsTheFirstShapeAndTheWorstDifference) {
  Shape bytes_of_another_type = kAllReduce;
  bytes_of_another_type.datatype = 2;
  Shape larger = kAllReduce;
  larger.bytes = 2048;
  SlotWindow window;
  window.add(5, kAllReduce);
  EXPECT_EQ(window.calls()[0].difference, Difference::none);
  window.add(5, bytes_of_another_type);
  EXPECT_EQ(window.calls()[0].difference, Difference::numbers);
  window.add(5, larger);
  window.add(5, bytes_of_another_type);
  EXPECT_EQ(window.calls()[0].difference, Difference::fatal);
  EXPECT_EQ(window.calls()[0].shape, kAllReduce);
  EXPECT_EQ(window.calls()[0].count, 4U);
}

// A torn box may show any number.
TEST(SlotWindow, OfSlotsFarApartIsEmptyForEver) {
  for (const std::uint64_t damaged : {std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
    EXPECT_TRUE(window({3, damaged, 4}).calls().empty()) << damaged;
    EXPECT_TRUE(window({damaged, 3, 4}).calls().empty()) << damaged;
  }
}

TEST(SlotWindow, HoldsTheLargestNumberThatThereIs) {
  const std::uint64_t largest = ~std::uint64_t{0};
  const SlotWindow top = window({largest, largest - 1});
  EXPECT_EQ(top.base(), largest - 1);
  EXPECT_EQ(counts(top), (Counts{1, 1}));
}

}  // namespace
}  // namespace gridlock::detect
