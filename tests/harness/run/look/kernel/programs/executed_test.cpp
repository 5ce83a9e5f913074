// Which program a process executes, and whether two share their memory.
#include "harness/run/look/kernel/programs/executed.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstddef>

#include "harness/run/look/kernel/kernel_view.h"
#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

TEST(Executed, AnotherProgramByExec) {
  const std::uint64_t own = executed_program(getpid());
  EXPECT_NE(own, 0U);
  EXPECT_EQ(record::own_program().by_bytes, own) << "what the recorder writes";
  EXPECT_TRUE(executes_another(getpid(), {.by_bytes = own + 2, .by_addresses = own + 4}));
  EXPECT_FALSE(executes_another(getpid(), {})) << "not known";
  EXPECT_EQ(executed_program(getpid()), own);
  Child same([] { pause(); });
  EXPECT_EQ(executed_program(same.pid()), own);
  Child other([] { execl("/bin/sleep", "sleep", "60", nullptr); });
  while (executed_program(other.pid()) == own) std::this_thread::yield();
  EXPECT_EQ(executed_program(0), 0U);
}

TEST(Executed, TheSameWhenTheFirstThreadHasEnded) {
  Child child([] {
    std::thread([] { pause(); }).detach();
    syscall(SYS_exit, 0);  // of this thread alone
  });
  while (thread_that_shows(child.pid()) == child.pid()) std::this_thread::yield();
  EXPECT_EQ(executed_program(child.pid()), executed_program(getpid()));
}

// A process frees its memory before it is gone. Whether it was seen in between; whoever has no core
// meanwhile misses it.
bool is_seen_without_memory(const Child& child) {
  bool seen = false;
  while (!has_ended(child.pid())) {
    EXPECT_FALSE(executes_another(child.pid(), record::own_program()));
    seen = seen || executed_program(child.pid()) == 0;
  }
  return seen;
}

TEST(Executed, NoOtherProgramByAProcessThatEnds) {
  constexpr std::size_t kMuch = std::size_t{256} << 20U;
  for (bool seen = false; !seen;) {
    const Child child([] {
      void* memory = mmap(nullptr, kMuch, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      if (memory == MAP_FAILED) pause();
      _exit(0);
    });
    seen = is_seen_without_memory(child);
  }
}

// As the profiles of containers do.
void refuse(std::uint32_t call) {
  std::array<sock_filter, 4> filter{
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{.len = filter.size(), .filter = filter.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST(Executed, IsKnownByItsAddressesIfNobodyMayReadItsMemory) {
  const pid_t self = getpid();
  const pid_t looker = fork();
  if (looker == 0) {
    refuse(SYS_process_vm_readv);
    _exit(executed_program(self) == record::own_program().by_addresses ? 0 : 1);
  }
  int status = 0;
  waitpid(looker, &status, 0);
  EXPECT_EQ(status, 0);
}

// Whether they may, according to a process to which the kernel does not tell.
bool may_share_without_kcmp(pid_t one, pid_t other) {
  const pid_t looker = fork();
  if (looker == 0) {
    refuse(SYS_kcmp);
    _exit(may_share_memory(one, other) ? 1 : 0);
  }
  int status = 0;
  waitpid(looker, &status, 0);
  return WEXITSTATUS(status) == 1;
}

TEST(SharedMemory, IsAClonesOwn) {
  Child parent([] {
    alignas(64) static std::array<char, 1U << 16U> stack;
    clone([](void*) { return pause(); }, stack.end(), CLONE_VM | SIGCHLD, nullptr);
    pause();
  });
  const auto child_of = [](pid_t pid) {
    const std::string list =
        "/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children";
    while (proc_text(list).empty()) std::this_thread::yield();
    return std::atoi(proc_text(list).c_str());
  };
  const pid_t clone_of_it = child_of(parent.pid());
  for (const pid_t pid : {parent.pid(), clone_of_it}) {
    while (system_call(pid, pid).number != SYS_pause) std::this_thread::yield();
  }
  EXPECT_TRUE(may_share_memory(parent.pid(), clone_of_it));
  EXPECT_TRUE(may_share_without_kcmp(parent.pid(), clone_of_it));
  Child other([] { execl("/bin/sleep", "sleep", "60", nullptr); });
  while (executed_program(other.pid()) == executed_program(getpid())) std::this_thread::yield();
  Child larger([] {
    static_cast<void>(mmap(nullptr, 1U << 20U, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    pause();
  });
  while (system_call(larger.pid(), larger.pid()).number != SYS_pause) std::this_thread::yield();
  for (const pid_t pid : {other.pid(), larger.pid()}) {
    EXPECT_FALSE(may_share_memory(parent.pid(), pid));
    EXPECT_FALSE(may_share_without_kcmp(parent.pid(), pid));
  }
  kill(clone_of_it, SIGKILL);
}

}  // namespace
}  // namespace gridlock::run
