// Whether a listing of processes still holds.
#include "harness/processes/process_tree.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <thread>

namespace gridlock::processes {
namespace {

// A child with a second thread, which ends when the child is told so.
class Child {
 public:
  Child() {
    if (pipe(to_.data()) != 0 || pipe(from_.data()) != 0) std::abort();
    pid_ = fork();
    if (pid_ == 0) run();
    say_or_hear(from_[0]);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (const int one : {to_[0], to_[1], from_[0], from_[1]}) close(one);
  }

  void end_thread() {
    if (write(to_[1], "", 1) != 1) std::abort();
    say_or_hear(from_[0]);
  }
  void end() {
    kill(pid_, SIGKILL);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }

 private:
  static void say_or_hear(int from) {
    char byte = 0;
    if (read(from, &byte, 1) != 1) std::abort();
  }
  [[noreturn]] void run() {
    std::thread second([this] { say_or_hear(to_[0]); });
    if (write(from_[1], "", 1) != 1) std::abort();
    second.join();
    if (write(from_[1], "", 1) != 1) std::abort();
    while (true) pause();
  }

  std::array<int, 2> to_{};
  std::array<int, 2> from_{};
  pid_t pid_ = 0;
};

TEST(ProcessTree, AListingHoldsUntilAThreadEnds) {
  Child child;
  const auto listed = whole_tree_below(getpid());
  ASSERT_EQ(listed.size(), 1U);
  if (listed[0].threads == 0) GTEST_SKIP() << "the kernel lists no children";
  EXPECT_EQ(listed[0].threads, 2);
  EXPECT_TRUE(are_all_alive(listed));
  child.end_thread();
  EXPECT_FALSE(are_all_alive(listed));
  EXPECT_TRUE(are_all_alive(whole_tree_below(getpid())));
}

TEST(ProcessTree, AListingHoldsUntilAProcessEnds) {
  Child child;
  const auto listed = whole_tree_below(getpid());
  child.end();
  EXPECT_FALSE(are_all_alive(listed));
  const auto with_ended = whole_tree_below(getpid());
  ASSERT_EQ(with_ended.size(), 1U);
  EXPECT_TRUE(with_ended[0].has_ended);
  EXPECT_FALSE(are_all_alive(with_ended)) << "it may have left a child that nobody has listed";
}

}  // namespace
}  // namespace gridlock::processes
