// What the kernel says about threads that wait in a known way.
#include "harness/run/look/kernel/kernel_view.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "harness/record/format.h"
#include "harness/run/look/kernel/proc.h"

namespace gridlock::run {
namespace {

TEST(KernelView, TellsWhatAThreadReadsFrom) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::atomic<pid_t> tid{0};
  std::thread reader([&] {
    tid = static_cast<pid_t>(syscall(SYS_gettid));
    char byte = 0;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
  });
  record::Snapshot snapshot;
  snapshot.pid = getpid();
  std::string call;
  // The thread gets there eventually.
  while (call.empty()) {
    snapshot.threads = {record::Thread{}, record::Thread{}};
    snapshot.threads[0].tid = tid;
    snapshot.threads[1].tid = getpid();
    if (tid == 0) continue;
    add_kernel_view(snapshot);
    if (snapshot.threads[0].syscall.starts_with("read(")) call = snapshot.threads[0].syscall;
  }
  EXPECT_EQ(call, "read(" + std::to_string(ends[0]) + ", pipe)");
  EXPECT_EQ(snapshot.threads[0].state, 'S');
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  reader.join();
  snapshot.threads.resize(1);
  add_kernel_view(snapshot);
  EXPECT_FALSE(snapshot.threads[0].exists);
  close(ends[0]);
  close(ends[1]);
}

// Many kernels have this function only as a copy that the compiler made: its name has an ending.
TEST(KernelView, TellsAWaitChannelWithoutWhatTheCompilerAddsToItsName) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    while (true) poll(nullptr, 0, -1);
  }
  record::Snapshot snapshot;
  snapshot.pid = child;
  snapshot.threads.resize(1);
  record::Thread& thread = snapshot.threads[0];
  while (!thread.syscall.starts_with("poll")) {
    thread = {};
    thread.tid = child;
    add_kernel_view(snapshot);
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  if (thread.wait_channel.empty()) GTEST_SKIP() << "the kernel does not say where threads wait";
  EXPECT_EQ(thread.wait_channel.find('.'), std::string::npos) << thread.wait_channel;
}

TEST(KernelView, TellsWhatAProcessDoesBeforeItsFirstRecordedCall) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    while (true) pause();
  }
  record::Snapshot snapshot;
  snapshot.pid = child;
  // The child gets there eventually.
  while (snapshot.first_thread.syscall != "pause" || snapshot.first_thread.state != 'S') {
    add_kernel_view(snapshot);
  }
  snapshot.threads = {record::Thread{}};
  add_kernel_view(snapshot);
  EXPECT_EQ(snapshot.first_thread.state, 0) << "it has made one";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// A library that starts a thread inside a recorded wait is not at rest.
TEST(KernelView, AProcessWhoseLibraryStartsAThreadDoesNotWait) {
  for (const std::int64_t listed : {record::kLibraryThreadToCome, std::int64_t{1}}) {
    record::Snapshot snapshot;
    snapshot.pid = getpid();
    snapshot.library_threads = {listed};
    record::Thread& thread = snapshot.threads.emplace_back();
    thread.tid = getpid();
    thread.waits = record::Waits::communicator_members;
    add_kernel_view(snapshot);
    EXPECT_EQ(thread.waits == record::Waits::nothing, listed == record::kLibraryThreadToCome);
    EXPECT_TRUE(thread.exists);
  }
}

// A rank that dies inside a recorded wait closes its sockets first. Its peers may react to that,
// but the rank must not look like one that waits for them for ever.
TEST(KernelView, AProcessThatIsEndingNoLongerWaits) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(0);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  for (const pid_t pid : {child, getpid()}) {
    record::Snapshot snapshot;
    snapshot.pid = pid;
    snapshot.threads = {record::Thread{}};
    snapshot.threads[0].tid = pid;
    snapshot.threads[0].waits = record::Waits::device;
    add_kernel_view(snapshot);
    EXPECT_TRUE(snapshot.threads[0].exists);
    EXPECT_EQ(snapshot.threads[0].waits == record::Waits::nothing, pid == child);
  }
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
}

// A process has ended even if its parent, here this test, has not reaped it yet. The end of its
// main thread alone is not enough.
// Its first thread may end before: then it is not ending.
TEST(KernelView, AProcessHasEndedWithItsLastThread) {
  EXPECT_FALSE(has_ended(getpid()));
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(ends[1]);
    std::thread([&] {
      char byte = 0;
      static_cast<void>(!read(ends[0], &byte, 1));
      _exit(0);
    }).detach();
    syscall(SYS_exit, 0);  // of this thread alone
  }
  record::Snapshot snapshot;
  snapshot.pid = child;
  while (thread_status(child, child).state != 'Z') std::this_thread::yield();
  add_kernel_view(snapshot);
  EXPECT_FALSE(snapshot.is_ending);
  EXPECT_EQ(snapshot.other_threads, 1);
  EXPECT_FALSE(has_ended(child));
  close(ends[1]);
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(has_ended(child));
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(has_ended(child));
  close(ends[0]);
}

// `library`: a thread that a library has started, according to the box; 0: none.
int other_threads(pid_t library = 0) {
  record::Snapshot snapshot;
  snapshot.pid = getpid();
  snapshot.threads = {record::Thread{}};
  snapshot.threads[0].tid = getpid();
  if (library != 0) snapshot.library_threads = {library};
  add_kernel_view(snapshot);
  return static_cast<int>(snapshot.other_threads);
}

TEST(KernelView, CountsTheProgramsThreadsOnlyWhateverTheirNames) {
  std::atomic<pid_t> started{0};
  std::atomic<bool> done{false};
  const auto start = [&](const char* name) {
    started = 0;
    std::thread thread([&, name] {
      pthread_setname_np(pthread_self(), name);
      started = static_cast<pid_t>(syscall(SYS_gettid));
      done.wait(false);
    });
    while (started == 0) std::this_thread::yield();
    return thread;
  };
  std::thread first = start("loader");  // the thread sanitizer now also starts its own thread
  const int before = other_threads();
  // A thread inherits the program's name, which may begin like those of a library's threads.
  std::thread second = start("nccl_train");
  EXPECT_EQ(other_threads(), before + 1);
  EXPECT_EQ(other_threads(started), before);
  done = true;
  done.notify_all();
  first.join();
  second.join();
}

// This agent may have no descriptor left.
TEST(KernelView, AThreadThatCannotBeLookedAtExists) {
  record::Snapshot snapshot;
  snapshot.pid = getpid();
  snapshot.threads = {record::Thread{}};
  snapshot.threads[0].tid = getpid();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  add_kernel_view(snapshot);
  const bool has_ended = has_ended_just_now(getpid(), getpid());
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(snapshot.threads[0].exists);
  EXPECT_EQ(snapshot.other_threads, 1);
  EXPECT_FALSE(has_ended);
}

TEST(KernelView, ARankOfWhichNoProcessIsKnownDoesNotEnd) {
  record::Snapshot snapshot;
  add_kernel_view(snapshot);
  EXPECT_FALSE(snapshot.is_ending);
}

}  // namespace
}  // namespace gridlock::run
