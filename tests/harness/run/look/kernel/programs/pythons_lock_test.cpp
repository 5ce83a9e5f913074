// Threads of a real Python that wait for its lock.
#include "harness/run/look/kernel/programs/pythons_lock.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "harness/run/look/kernel/address_space.h"
#include "harness/run/look/kernel/time_limit.h"
#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

// A child that runs `script`, which prints the numbers of two threads once they are where it wants
// them.
class Python {
 public:
  explicit Python(const std::string& script)
      : child_([&] {
          dup2(ends_[1], STDOUT_FILENO);
          execlp("python3", "python3", "-c", script.c_str(), nullptr);
        }) {
    close(ends_[1]);
    FILE* told = fdopen(ends_[0], "r");
    if (std::fscanf(told, "%ld %ld", &tids[0], &tids[1]) != 2) tids = {};
    std::fclose(told);
  }
  // How thread `tid` sleeps, once it does at a futex: until it is woken, or for a while at most.
  Sleep sleep_of(std::int64_t tid, bool has_limit = false) const {
    const std::vector<JobProcess> job{child_.in_job()};
    while (true) {
      const SystemCall call = system_call(child_.pid(), tid);
      if (call.sleeps && call.number == SYS_futex) {
        const Sleep sleep = Sleepers(job).look(job[0], tid);
        if (has_limit ? sleep.by_clock : sleep.asleep) return sleep;
      }
      std::this_thread::yield();
    }
  }
  record::ProcessKey key() const { return child_.key(); }
  std::array<std::int64_t, 2> tids{};

 private:
  struct Pipe {
    std::array<int, 2> ends{};
    Pipe() {
      if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    }
    int operator[](std::size_t end) const { return ends[end]; }
  };
  Pipe ends_;
  Child child_;
};

// As old as the rule is.
bool has_python() {
  return std::system("python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null") ==
         0;
}

// A second thread wants the lock, which the first one keeps in a call of C's, for good.
constexpr const char* kKept = R"(
import ctypes, threading, os
go_on = threading.Event()
def work():
    tids.append(threading.get_native_id())
    go_on.set()
    while True:
        pass
tids = [threading.get_native_id()]
threading.Thread(target=work, daemon=True).start()
go_on.wait()
print(*tids, flush=True)
ctypes.PyDLL(None).pause()
)";

// Two threads do `work`.
std::string twice(const std::string& work) {
  return R"(
import threading
lock = threading.Lock()
lock.acquire()
tids = []
def work():
    tids.append(threading.get_native_id())
    )" + work +
         R"(
threads = [threading.Thread(target=work, daemon=True) for _ in range(2)]
for thread in threads:
    thread.start()
while len(tids) < 2:
    pass
print(*tids, flush=True)
threads[0].join()
)";
}

class AtPythonsLock : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_python()) GTEST_SKIP() << "there is no python3 of 3.8 or later";
  }
};

TEST_F(AtPythonsLock, IsWhatAThreadSleepsForUntilItsHolderGivesItAway) {
  const Python python(kKept);
  const Sleep first = python.sleep_of(python.tids[1]);
  EXPECT_TRUE(first.asleep);
  EXPECT_EQ(first.on, "Python's lock");
  EXPECT_EQ(wakers(first), Keys{python.key()});
#if defined(__x86_64__)
  EXPECT_EQ(first.held_by, python.tids[0]);
#endif
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it looks again ten times
  EXPECT_EQ(python.sleep_of(python.tids[1]).switches, first.switches);
}

TEST_F(AtPythonsLock, CountsItsTurns) {
  const Python python(twice("while True: pass"));
  const Sleep first = python.sleep_of(python.tids[0]);
  EXPECT_EQ(first.on, "Python's lock");
  for (Sleep next = first; next.switches == first.switches;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    next = python.sleep_of(python.tids[0]);
  }
}

// When its time comes while Python ends, such a thread ends too.
TEST_F(AtPythonsLock, IsLikeAnyOtherIfWhoWaitsForItLooksAgainAfterALongTime) {
  const Python python("import sys\nsys.setswitchinterval(10)\n" + std::string(kKept));
  EXPECT_FALSE(python.sleep_of(python.tids[1], true).asleep);
}

TEST_F(AtPythonsLock, IsNoOtherFutexOfPythons) {
  const Python python(twice("lock.acquire(timeout=50)"));
  EXPECT_FALSE(python.sleep_of(python.tids[1], true).asleep);
}

}  // namespace
}  // namespace gridlock::run
