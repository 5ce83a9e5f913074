// What a thread asks about that sleeps in a poll.
#include "harness/run/look/kernel/descriptors/polled.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>

namespace gridlock::run {
namespace {

std::uint64_t address(const void* of) { return reinterpret_cast<std::uintptr_t>(of); }

TEST(PolledBy, APollTellsWhoOnlyWaitsForData) {
  const std::array<pollfd, 4> polled{{{.fd = 3, .events = POLLIN, .revents = 0},
                                      {.fd = -4, .events = POLLIN, .revents = 0},
                                      {.fd = 5, .events = POLLIN | POLLOUT, .revents = 0},
                                      {.fd = 6, .events = 0, .revents = 0}}};
  const SystemCall call{.number = SYS_poll, .arguments = {address(polled.data()), polled.size()}};
  const auto all = polled_by(getpid(), call).value_or(std::vector<PolledDescriptor>());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].number, 3);
  EXPECT_EQ(all[0].wanted, Wanted::events);
  EXPECT_EQ(all[1].number, 5);
  EXPECT_EQ(all[1].wanted, Wanted::any_events);
  EXPECT_EQ(all[2].wanted, Wanted::events);
}

TEST(PolledBy, ASelectTellsItByItsSets) {
  fd_set to_read;
  fd_set to_write;
  FD_ZERO(&to_read);
  FD_ZERO(&to_write);
  for (const int number : {3, 70}) FD_SET(number, &to_read);
  for (const int number : {70, 80}) FD_SET(number, &to_write);
  const SystemCall call{.number = SYS_select,
                        .arguments = {81, address(&to_read), address(&to_write)}};
  const auto all = polled_by(getpid(), call).value_or(std::vector<PolledDescriptor>());
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].number, 3);
  EXPECT_EQ(all[0].wanted, Wanted::events);
  EXPECT_EQ(all[1].number, 70);
  EXPECT_EQ(all[1].wanted, Wanted::any_events);
  EXPECT_EQ(all[2].number, 80);
  EXPECT_EQ(all[2].wanted, Wanted::any_events);
}

}  // namespace
}  // namespace gridlock::run
