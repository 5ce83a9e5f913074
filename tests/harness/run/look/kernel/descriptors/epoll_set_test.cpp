// What a set of epoll watches, and whether that is still there.
#include "harness/run/look/kernel/descriptors/epoll_set.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <string>

#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

std::vector<Watched> watched_here(int set) {
  return watched_by(proc_text("/proc/self/fdinfo/" + std::to_string(set)));
}

void watch(int set, int file) {
  epoll_event event{};
  ASSERT_EQ(epoll_ctl(set, EPOLL_CTL_ADD, file, &event), 0);
}

// All anonymous files have the same inode.
TEST(EpollSet, AFileThatHasAnotherNumberByNowIsNotThere) {
  const int set = epoll_create1(0);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  watch(set, timer);
  EXPECT_TRUE(is_still_there(getpid(), set, watched_here(set).at(0)));
  const int kept = dup(timer);
  const int counter = eventfd(0, 0);
  dup2(counter, timer);
  EXPECT_FALSE(is_still_there(getpid(), set, watched_here(set).at(0)));
  watch(set, timer);  // now the set has two files under one number
  const std::vector<Watched> both = watched_here(set);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NE(is_still_there(getpid(), set, both[0]), is_still_there(getpid(), set, both[1]));
  for (const int file : {set, timer, kept, counter}) close(file);
}

TEST(EpollSet, IsTheSameUnderEachOfItsNumbers) {
  const int set = epoll_create1(0);
  const int copy = dup(set);
  const int another = epoll_create1(0);
  EXPECT_TRUE(may_be_same_file(getpid(), set, getpid(), copy));
  EXPECT_FALSE(may_be_same_file(getpid(), set, getpid(), another));
  EXPECT_TRUE(may_be_same_file(getpid(), set, getpid(), -1)) << "it is not known";
  for (const int file : {set, copy, another}) close(file);
}

TEST(EpollSet, AllOfALongListIsRead) {
  constexpr int kMany = 200;
  const int set = epoll_create1(0);
  std::vector<int> counters;
  for (int i = 0; i < kMany; ++i) watch(set, counters.emplace_back(eventfd(0, 0)));
  EXPECT_EQ(watched_here(set).size(), counters.size());
  for (const int counter : counters) close(counter);
  close(set);
}

}  // namespace
}  // namespace gridlock::run
