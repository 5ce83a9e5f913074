// What /proc says about a process that was just started.
#include "harness/run/look/kernel/proc.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST(Proc, AProgramHasALoaderUnlessItIsStatic) {
  EXPECT_TRUE(has_loader(getpid()));
  constexpr pid_t kNobody = 1U << 22U;
  EXPECT_TRUE(has_loader(kNobody)) << "unknown";
}

}  // namespace
}  // namespace gridlock::run
