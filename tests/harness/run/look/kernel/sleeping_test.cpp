// Who can wake processes that sleep in a known way.
#include "harness/run/look/kernel/sleeping.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/userfaultfd.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

// The server of a store goes on listening, also once all ranks are connected.
TEST(Sleeping, AServerWaitsForItsClientsOnceAllRanksAreThere) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener, any, sizeof(sa_family_t)), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(listener, any, &size), 0);
  ASSERT_EQ(listen(listener, 2), 0);
  const auto come = [&] { static_cast<void>(connect(socket(AF_UNIX, SOCK_STREAM, 0), any, size)); };
  Child client([&] {
    close(listener);
    come();
    while (true) pause();
  });
  Child server([&] {
    come();
    std::array<pollfd, 3> polled{{{listener, POLLIN, 0}, {-1, POLLIN, 0}, {-1, POLLIN, 0}}};
    for (auto& one : {&polled[1], &polled[2]}) one->fd = accept(listener, nullptr, nullptr);
    poll(polled.data(), polled.size(), -1);
  });
  close(listener);
  const auto job = [&](bool is_rank) {
    std::vector<JobProcess> all{server.in_job(), client.in_job()};
    all[1].is_rank = is_rank;
    return all;
  };
  const std::vector<JobProcess> ranks = job(true);
  const Sleep sleep = sleep_in(SYS_poll, ranks, ranks[0], server.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(sleep.listens);
  EXPECT_EQ(wakers(sleep), (Keys{server.key(), client.key()}));
  // The client is a helper: whom else the server waits for is not known.
  const std::vector<JobProcess> alone = job(false);
  EXPECT_FALSE(Sleepers(alone).look(alone[0], server.pid()).asleep);
  // Another rank is not there yet.
  std::vector<JobProcess> late = ranks;
  late.push_back(itself());
  late[2].is_rank = true;
  EXPECT_FALSE(Sleepers(late).look(late[0], server.pid()).asleep);
}

// Any process of the job may connect, and one outside it that knows the name.
TEST(Sleeping, WhoAcceptsAtALocalSocketWaitsForSomebodyWhoKnowsItsName) {
  const auto look_at_one = [](int family) {
    Child server([family] {
      const int listener = socket(family, SOCK_STREAM, 0);
      sockaddr_storage address{};
      address.ss_family = static_cast<sa_family_t>(family);
      const bool is_local = family == AF_UNIX;
      bind(listener, reinterpret_cast<sockaddr*>(&address),
           is_local ? sizeof(sa_family_t) : sizeof(sockaddr_in));
      listen(listener, 1);
      accept(listener, nullptr, nullptr);
    });
    const std::vector<JobProcess> job{server.in_job(), itself()};
    return sleep_in(SYS_accept, job, job[0], server.pid());
  };
  const Sleep local = look_at_one(AF_UNIX);
  EXPECT_TRUE(local.asleep);
  EXPECT_TRUE(local.by_anybody);
  EXPECT_TRUE(local.has_name);
  EXPECT_FALSE(look_at_one(AF_INET).asleep) << "any host may connect";
}

// Whoever may connect will wake it.
TEST(Sleeping, AServerThatOnlyListensMayHearOfAnybody) {
  Child server([] {
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    static_cast<void>(!bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(sa_family_t)));
    listen(listener, 1);
    pollfd polled{listener, POLLIN, 0};
    poll(&polled, 1, -1);
  });
  std::vector<JobProcess> job{server.in_job(), itself()};
  for (JobProcess& process : job) process.is_rank = true;
  EXPECT_FALSE(sleep_in(SYS_poll, job, job[0], server.pid()).asleep);
}

TEST(Sleeping, APipeIsWokenByWhoHoldsItsOtherEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  Child reader([&] {
    close(ends[1]);
    char byte = 0;
    static_cast<void>(read(ends[0], &byte, 1));
  });
  const std::vector<JobProcess> with_us{reader.in_job(), itself()};
  const Sleep sleep = sleep_in(SYS_read, with_us, with_us[0], reader.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(wakers(sleep), Keys{itself().key});
  // This test then does not belong to the job, and may write at any time.
  const std::vector<JobProcess> without_us{reader.in_job()};
  EXPECT_FALSE(Sleepers(without_us).look(without_us[0], reader.pid()).asleep);
  close(ends[0]);
  close(ends[1]);
}

TEST(Sleeping, AFirstLookTakesTheJobToBeAlone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  Child reader([&] {
    char byte = 0;
    static_cast<void>(read(ends[0], &byte, 1));
  });
  const std::vector<JobProcess> job{reader.in_job()};
  EXPECT_FALSE(sleep_in(SYS_read, job, job[0], reader.pid()).asleep);  // this test may write
  const Sleep first = Sleepers(job, Scope::job).look(job[0], reader.pid());
  EXPECT_TRUE(first.asleep);
  EXPECT_EQ(wakers(first), Keys{reader.key()});
  close(ends[0]);
  close(ends[1]);
}

// Whoever of the job runs may open it and write.
TEST(Sleeping, ANamedPipeIsWokenByAnybody) {
  const std::string path = testing::TempDir() + "sleeping_test." + std::to_string(getpid());
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  Child reader([&] {
    char byte = 0;
    static_cast<void>(read(open(path.c_str(), O_RDWR), &byte, 1));
  });
  const std::vector<JobProcess> job{reader.in_job()};
  const Sleep sleep = sleep_in(SYS_read, job, job[0], reader.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_TRUE(sleep.by_anybody);
  EXPECT_TRUE(sleep.has_name);
  EXPECT_EQ(wakers(sleep), Keys{reader.key()});
  unlink(path.c_str());
  const Sleep nameless = sleep_in(SYS_read, job, job[0], reader.pid());
  EXPECT_TRUE(nameless.asleep);
  EXPECT_FALSE(nameless.by_anybody);
  EXPECT_FALSE(nameless.has_name);
}

// The file is open in this process, which holds the lock, and in the waiter.
TEST(Sleeping, AFileLockIsGivenUpByWhoHasTheFileOpen) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const std::string path =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fileno(file));
  ASSERT_EQ(flock(fileno(file), LOCK_EX), 0);
  const auto expect_both = [](long number, const Child& waiter) {
    const std::vector<JobProcess> with_us{waiter.in_job(), itself()};
    const Sleep sleep = sleep_in(number, with_us, with_us[0], waiter.pid());
    EXPECT_TRUE(sleep.asleep);
    EXPECT_EQ(wakers(sleep), (Keys{waiter.key(), itself().key}));
    // This test then does not belong to the job, and may give up the lock at any time.
    const std::vector<JobProcess> without_us{waiter.in_job()};
    EXPECT_FALSE(Sleepers(without_us).look(without_us[0], waiter.pid()).asleep);
  };
  expect_both(SYS_flock, Child([&] { flock(open(path.c_str(), O_RDWR), LOCK_EX); }));
  struct flock whole {};
  whole.l_type = F_WRLCK;
  ASSERT_EQ(fcntl(fileno(file), F_SETLK, &whole), 0);
  expect_both(SYS_fcntl, Child([&] { fcntl(open(path.c_str(), O_RDWR), F_SETLKW, &whole); }));
  std::fclose(file);
}

// Its mapping keeps the lock. A helper of the waiter has the file open, but not the lock.
TEST(Sleeping, AFileLockMayBeGivenUpByAStranger) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const std::string path =
      "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fileno(file));
  const int opened_again = open(path.c_str(), O_RDWR);
  Child stranger([&] {
    flock(opened_again, LOCK_EX);
    static_cast<void>(mmap(nullptr, 1, PROT_READ, MAP_SHARED, opened_again, 0));
    close(opened_again);
    close(fileno(file));
    pause();
  });
  close(opened_again);
  while (system_call(stranger.pid(), stranger.pid()).number != SYS_pause) std::this_thread::yield();
  Child waiter([&] { flock(open(path.c_str(), O_RDWR), LOCK_EX); });
  const std::vector<JobProcess> with_us{waiter.in_job(), itself()};
  EXPECT_FALSE(sleep_in(SYS_flock, with_us, with_us[0], waiter.pid()).asleep);
  std::fclose(file);
}

TEST(Sleeping, ALocalSocketIsWokenByWhoHoldsItsOtherEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  Child reader([&] {
    close(ends[1]);
    char byte = 0;
    static_cast<void>(recv(ends[0], &byte, 1, 0));
  });
  close(ends[0]);
  const std::vector<JobProcess> job{reader.in_job(), itself()};
  const Sleep sleep = sleep_in(SYS_recvfrom, job, job[0], reader.pid());
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(wakers(sleep), (Keys{reader.key(), itself().key}));
  const std::vector<JobProcess> alone{reader.in_job()};
  EXPECT_FALSE(Sleepers(alone).look(alone[0], reader.pid()).asleep);
  close(ends[1]);
}

// Who reads sleeps in the call, and also in a page fault there.
TEST(Sleeping, AMissingPageMayBeFilledByAnybody) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  void* const page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
  uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
  uffdio_register range{.range = {reinterpret_cast<std::uint64_t>(page), 4096},
                        .mode = UFFDIO_REGISTER_MODE_MISSING,
                        .ioctls = 0};
  if (faults < 0 || ioctl(faults, UFFDIO_API, &api) != 0) GTEST_SKIP() << "no userfaultfd";
  ASSERT_EQ(ioctl(faults, UFFDIO_REGISTER, &range), 0);
  // A child shares only what a fork leaves registered, so a thread of this process writes.
  std::int64_t tid = 0;
  std::atomic<bool> begins = false;
  std::thread writer([&] {
    tid = gettid();
    begins = true;
    static_cast<void>(write(ends[1], page, 4096));
  });
  while (!begins) std::this_thread::yield();
  const std::vector<JobProcess> job{itself()};
  EXPECT_FALSE(sleep_in(SYS_write, job, job[0], tid).asleep);
  const std::array<char, 4096> bytes{};
  uffdio_copy copy{};
  copy.dst = range.range.start;
  copy.src = reinterpret_cast<std::uint64_t>(bytes.data());
  copy.len = bytes.size();
  ASSERT_EQ(ioctl(faults, UFFDIO_COPY, &copy), 0);
  writer.join();
  for (const int end : {ends[0], ends[1], faults}) close(end);
  munmap(page, 4096);
}

}  // namespace
}  // namespace gridlock::run
