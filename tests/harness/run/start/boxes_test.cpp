// Boxes get consecutive descriptors, whatever else is open.
#include "harness/run/start/boxes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gridlock::run {
namespace {

// Opens files until all descriptors up to `last` are in use.
std::vector<FileDescriptor> use_all_up_to(int last) {
  std::vector<FileDescriptor> used;
  do {
    used.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  } while (used.back().is_open() && used.back().get() < last);
  return used;
}

void expect_in_a_row(Boxes& boxes, int first) {
  EXPECT_EQ(boxes.address(), fmt::format("/proc/{}/fd:{}", getpid(), first));
  for (int rank = 0; rank < boxes.ranks(); ++rank) {
    EXPECT_FALSE(boxes.bytes(rank).empty());
    EXPECT_GE(fcntl(first + rank, F_GETFD), 0);
  }
}

TEST(Boxes, BeginAtDescriptor64) {
  Boxes boxes(3);
  expect_in_a_row(boxes, 64);
}

TEST(Boxes, BeginBehindWhatIsInUse) {
  for (const int last : {62, 63, 64, 80}) {
    const std::vector<FileDescriptor> used = use_all_up_to(last);
    Boxes boxes(3);
    expect_in_a_row(boxes, std::max(last + 1, 64));
  }
}

}  // namespace
}  // namespace gridlock::run
