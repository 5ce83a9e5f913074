// Sleeps that end by something that no process has at hand at that moment: a descriptor in a
// message, or work that the kernel was given before.
#include <gtest/gtest.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

void send_descriptor(int socket, int descriptor) {
  char byte = 'x';
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(part), &descriptor, sizeof descriptor);
  ASSERT_EQ(sendmsg(socket, &message, 0), 1);
}

// The reader holds the end that writes, too; another copy lies in a message to this process.
TEST(OutOfSight, APipeIsWokenByWhoCanReceiveItsOtherEnd) {
  std::array<int, 2> ends{};
  std::array<int, 2> sockets{};
  ASSERT_EQ(pipe(ends.data()), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  Child reader([&] {
    close(sockets[0]);
    close(sockets[1]);
    char byte = 0;
    static_cast<void>(read(ends[0], &byte, 1));
  });
  const std::vector<JobProcess> job{reader.in_job(), itself()};
  send_descriptor(sockets[0], ends[1]);
  close(ends[1]);
  const Sleep sleep = sleep_in(SYS_read, job, job[0], reader.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(wakers(sleep), (Keys{reader.key(), itself().key}));
  for (const int end : {ends[0], sockets[0], sockets[1]}) close(end);
}

bool allows_rings() {
  io_uring_params rings{};
  const auto ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &rings));
  close(ring);
  return ring >= 0;
}

// The ring may write, close, or wake a futex.
TEST(OutOfSight, WhoHasARingMayBeWokenByTheKernel) {
  if (!allows_rings()) GTEST_SKIP() << "io_uring is not allowed here";
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const auto expect_awake = [&](std::int64_t number, void (*wait)(int from)) {
    Child sleeper([&] {
      io_uring_params rings{};
      const auto ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &rings));
      static_cast<void>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, ring, IORING_OFF_SQ_RING));
      wait(ends[0]);
    });
    const std::vector<JobProcess> job{sleeper.in_job(), itself()};
    EXPECT_FALSE(sleep_in(number, job, job[0], sleeper.pid()).asleep) << number;
  };
  expect_awake(SYS_read, [](int from) {
    char byte = 0;
    static_cast<void>(read(from, &byte, 1));
  });
  expect_awake(SYS_futex, [](int /*from*/) {
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    condition.wait(lock, [] { return false; });
  });
  close(ends[0]);
  close(ends[1]);
}

// Whether the reader of a counter (eventfd), whose other holder sleeps, is asleep.
bool sleeps_at_counter(const std::function<void(int counter)>& other_does) {
  const int counter = eventfd(0, 0);
  std::array<int, 2> asked{};
  EXPECT_EQ(pipe(asked.data()), 0);
  Child other([&] {
    other_does(counter);
    static_cast<void>(write(asked[1], "x", 1));
    while (true) pause();
  });
  char byte = 0;
  EXPECT_EQ(read(asked[0], &byte, 1), 1);
  Child reader([&] {
    std::uint64_t count = 0;
    static_cast<void>(read(counter, &count, sizeof count));
  });
  const std::vector<JobProcess> job{reader.in_job(), other.in_job(), itself()};
  const bool asleep = sleep_in(SYS_read, job, job[0], reader.pid()).asleep;
  for (const int end : {counter, asked[0], asked[1]}) close(end);
  return asleep;
}

void begin_aio() {
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, 4, &context) != 0) _exit(5);
}

// The other process has asked the kernel to tell it through the counter.
TEST(OutOfSight, ACounterIsWokenByTheKernel) {
  EXPECT_TRUE(sleeps_at_counter([](int /*counter*/) {}));
  EXPECT_FALSE(sleeps_at_counter([](int /*counter*/) { begin_aio(); }));
}

// Work under way keeps a file whose descriptor is closed.
TEST(OutOfSight, TheKernelMayUseFilesWhoseDescriptorsAreClosed) {
  EXPECT_FALSE(sleeps_at_counter([](int counter) {
    begin_aio();
    close(counter);
  }));
  if (!allows_rings()) GTEST_SKIP() << "io_uring is not allowed here";
  EXPECT_FALSE(sleeps_at_counter([](int counter) {
    io_uring_params rings{};
    const auto ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &rings));
    if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &counter, 1) != 0) _exit(5);
    close(counter);
  }));
}

alignas(64) std::array<char, 1 << 16> g_stack;

int pause_for_ever(void* /*unused*/) {
  while (true) syscall(SYS_pause);
}

// A process with the sleeper's memory that is a child of ours, not of the sleeper.
TEST(OutOfSight, AFutexIsWokenByAnyProcessWithTheSameMemory) {
  std::array<int, 2> told{};
  ASSERT_EQ(pipe(told.data()), 0);
  Child sleeper([&] {
    const pid_t sharer = clone(pause_for_ever, g_stack.data() + g_stack.size(),
                               CLONE_VM | CLONE_PARENT | SIGCHLD, nullptr);
    static_cast<void>(write(told[1], &sharer, sizeof sharer));
    std::mutex mutex;
    std::condition_variable condition;
    std::unique_lock lock(mutex);
    condition.wait(lock, [] { return false; });
  });
  pid_t sharer = 0;
  ASSERT_EQ(read(told[0], &sharer, sizeof sharer), static_cast<ssize_t>(sizeof sharer));
  ASSERT_GT(sharer, 0);
  const std::vector<JobProcess> job{
      sleeper.in_job(), {.pid = sharer, .parent = getpid(), .key = record::process_key(0, sharer)}};
  const Sleep sleep = sleep_in(SYS_futex, job, job[0], sleeper.pid());
  EXPECT_EQ(wakers(sleep), (Keys{job[0].key, job[1].key}));
  kill(sharer, SIGKILL);
  waitpid(sharer, nullptr, __WALL);
  for (const int end : told) close(end);
}

}  // namespace
}  // namespace gridlock::run
