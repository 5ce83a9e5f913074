// What /proc says about a process that was just started.
#include "harness/run/look/kernel/proc.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>

namespace gridlock::run {
namespace {

// A program that sleeps, with one variable in its environment.
class Sleeping {
 public:
  explicit Sleeping(const char* variable) {
    const char* const arguments[] = {"sleep", "60", nullptr};
    const char* const environment[] = {"PATH=/bin:/usr/bin", variable, nullptr};
    posix_spawnp(&pid_, "sleep", nullptr, nullptr, const_cast<char**>(arguments),
                 const_cast<char**>(environment));
    // The kernel shows its environment soon after it has loaded the program.
    while (proc_text("/proc/" + std::to_string(pid_) + "/environ").empty()) {
    }
  }
  Sleeping(const Sleeping&) = delete;
  Sleeping& operator=(const Sleeping&) = delete;
  ~Sleeping() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

TEST(Proc, AProcessMayBeStartedWithALocalRank) {
  EXPECT_TRUE(has_local_rank(Sleeping("LOCAL_RANK=3").pid()));
  EXPECT_TRUE(has_local_rank(Sleeping("SLURM_LOCALID=3").pid()));
  EXPECT_FALSE(has_local_rank(Sleeping("RANK=3").pid()));
  constexpr pid_t kNobody = 1U << 22U;
  EXPECT_TRUE(has_local_rank(kNobody)) << "unknown";
}

TEST(Proc, AProcessMayBeStartedWithAConnectionToItsLauncher) {
  EXPECT_EQ(connection_to_launcher(Sleeping("PMI_FD=7").pid()), 7U);
  EXPECT_EQ(connection_to_launcher(Sleeping("PMI_RANK=7").pid()), std::nullopt);
}

std::uint64_t own_switches() {
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return static_cast<std::uint64_t>(used.ru_nvcsw + used.ru_nivcsw);
}

TEST(Proc, AThreadsStatusIsWhatTheThreadItselfIsTold) {
  sigset_t own;
  sigset_t before;
  sigemptyset(&own);
  sigaddset(&own, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &own, &before);
  pthread_kill(pthread_self(), SIGUSR1);
  const auto previous = std::signal(SIGUSR2, [](int) {});
  const pid_t tid = gettid();

  const std::uint64_t least = own_switches();
  const ThreadStatus status = thread_status(getpid(), tid);
  EXPECT_LE(least, status.switches);
  EXPECT_LE(status.switches, own_switches());
  EXPECT_EQ(status.state, 'R');
  EXPECT_GE(thread_stat(getpid(), tid).threads, 1U);
  EXPECT_NE(status.blocked & signal_bit(SIGUSR1), 0U);
  EXPECT_EQ(status.pending & signal_bit(SIGUSR1), 0U) << "it is blocked";
  EXPECT_NE(status.caught & signal_bit(SIGUSR2), 0U);
  EXPECT_EQ(thread_stat(getpid(), tid).pending, signal_bit(SIGUSR1));

  std::signal(SIGUSR2, previous);
  int taken = 0;
  sigwait(&own, &taken);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_EQ(thread_stat(getpid(), tid).pending, 0U);
}

TEST(Proc, AThreadsNameMayLookLikeTheRestOfTheLine) {
  char before[16] = {};
  pthread_getname_np(pthread_self(), before, sizeof before);
  pthread_setname_np(pthread_self(), ") Z (\nState: Z");
  EXPECT_EQ(thread_stat(getpid(), gettid()).name, ") Z (\nState: Z");
  EXPECT_EQ(thread_stat(getpid(), gettid()).state, 'R');
  EXPECT_EQ(thread_status(getpid(), gettid()).state, 'R');
  pthread_setname_np(pthread_self(), before);
  constexpr pid_t kNobody = 1U << 22U;
  EXPECT_EQ(thread_stat(kNobody, kNobody).state, '\0');
  EXPECT_TRUE(means_gone(errno));
}

TEST(Proc, AProgramHasALoaderUnlessItIsStatic) {
  EXPECT_TRUE(has_loader(getpid()));
  constexpr pid_t kNobody = 1U << 22U;
  EXPECT_TRUE(has_loader(kNobody)) << "unknown";
}

}  // namespace
}  // namespace gridlock::run
