// Who can wake a process that sleeps at a futex in shared memory.
#include "harness/run/look/kernel/descriptors/mappers.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

using record::Sleep;

constexpr std::size_t kBytes = 4096;

void* map(int file) {
  const int flags = MAP_SHARED | (file < 0 ? MAP_ANONYMOUS : 0);
  return mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, flags, file, 0);
}

void wait_at(void* word) { syscall(SYS_futex, word, 0 /* FUTEX_WAIT */, 0, nullptr, nullptr, 0); }

TEST(Mappers, AnyProcessThatMapsAnonymousMemoryMayWakeWhoSleepsInIt) {
  void* shared = map(-1);
  ASSERT_NE(shared, MAP_FAILED);
  Child sleeper([&] { wait_at(shared); });
  Child other([] { pause(); });
  const JobProcess one = sleeper.in_job();
  EXPECT_FALSE(sleep_in(SYS_futex, {one, other.in_job()}, one, one.pid).asleep)
      << "this process maps it too, and is not of the job";
  munmap(shared, kBytes);
  const Sleep sleep = sleep_in(SYS_futex, {one, other.in_job()}, one, one.pid);
  EXPECT_TRUE(sleep.asleep);
  EXPECT_EQ(wakers(sleep), (Keys{sleeper.key(), other.key()}));
  EXPECT_FALSE(sleep.by_anybody) << "who does not map it never will";
  EXPECT_EQ(sleep.on, "a futex in shared memory");
}

TEST(Mappers, ASemaphoreWithoutANameIsClosed) {
  // As Python's multiprocessing makes them.
  const std::string name = "/gridlock-test-" + std::to_string(getpid());
  sem_t* semaphore = sem_open(name.c_str(), O_CREAT | O_EXCL, 0600, 0);
  ASSERT_NE(semaphore, SEM_FAILED);
  Child sleeper([&] { sem_wait(semaphore); });
  sem_close(semaphore);
  const JobProcess one = sleeper.in_job();
  const Sleep named = sleep_in(SYS_futex, {one}, one, one.pid);
  EXPECT_TRUE(named.asleep);
  EXPECT_TRUE(named.by_anybody) << "others may open it";
  sem_unlink(name.c_str());
  const Sleep sleep = sleep_in(SYS_futex, {one}, one, one.pid);
  EXPECT_EQ(wakers(sleep), Keys{sleeper.key()});
  EXPECT_FALSE(sleep.by_anybody);
}

TEST(Mappers, AFileInASubfolderHasAName) {
  const std::string folder = "/dev/shm/gridlock-test-" + std::to_string(getpid());
  const std::string path = folder + "/queue";
  ASSERT_EQ(mkdir(folder.c_str(), 0700), 0);
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(ftruncate(file, kBytes), 0);
  Child sleeper([&] {
    void* shared = map(file);
    close(file);
    wait_at(shared);
  });
  close(file);
  const JobProcess one = sleeper.in_job();
  EXPECT_TRUE(sleep_in(SYS_futex, {one}, one, one.pid).by_anybody);
  unlink(path.c_str());
  rmdir(folder.c_str());
  EXPECT_FALSE(sleep_in(SYS_futex, {one}, one, one.pid).by_anybody);
}

TEST(Mappers, TheNamesOfAnotherMountNamespaceAreNotKnown) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  Child sleeper([] {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") != 0) {
      return;
    }
    sem_t* semaphore = sem_open("/gridlock-test", O_CREAT | O_EXCL, 0600, 0);
    if (semaphore != SEM_FAILED) sem_wait(semaphore);
  });
  const JobProcess one = sleeper.in_job();
  EXPECT_TRUE(sleep_in(SYS_futex, {one}, one, one.pid).by_anybody);
}

// No mapping has to show the ring (IORING_SETUP_NO_MMAP).
TEST(Mappers, ARingShowsAmongTheDescriptors) {
  std::array<std::byte, 256> parameters{};
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 1, parameters.data()));
  if (ring < 0) GTEST_SKIP() << "the kernel gives no rings";
  EXPECT_TRUE(Holders::has_ring(getpid()));
  close(ring);
  EXPECT_FALSE(Holders::has_ring(getpid()));
}

TEST(Mappers, WhoHasTheFileOpenMayMapItYet) {
  const int file = memfd_create("gridlock-test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, kBytes), 0);
  Child sleeper([&] {
    void* shared = map(file);
    close(file);
    wait_at(shared);
  });
  const JobProcess one = sleeper.in_job();
  EXPECT_FALSE(sleep_in(SYS_futex, {one}, one, one.pid).asleep) << "this process has it open";
  Child opener([&] { pause(); });
  close(file);
  const Sleep sleep = sleep_in(SYS_futex, {one, opener.in_job()}, one, one.pid);
  EXPECT_EQ(wakers(sleep), (Keys{sleeper.key(), opener.key()}));
}

TEST(Mappers, MemoryOfSystemVIsFoundByItsKey) {
  const int id = shmget(IPC_PRIVATE, kBytes, IPC_CREAT | 0600);
  ASSERT_GE(id, 0);
  Child sleeper([&] { wait_at(shmat(id, nullptr, 0)); });
  const JobProcess one = sleeper.in_job();
  EXPECT_TRUE(sleep_in(SYS_futex, {one}, one, one.pid).by_anybody);
  shmctl(id, IPC_RMID, nullptr);
}

TEST(Mappers, AFileOnADiskMayBeMappedOutOfSight) {
  std::string path = "/var/tmp/gridlock-test-XXXXXX";
  const int file = mkstemp(path.data());
  unlink(path.c_str());
  ASSERT_EQ(ftruncate(file, kBytes), 0);
  Child sleeper([&] { wait_at(map(file)); });
  close(file);
  const JobProcess one = sleeper.in_job();
  EXPECT_FALSE(sleep_in(SYS_futex, {one}, one, one.pid).asleep);
}

TEST(Mappers, AFirstLookTakesTheJobToBeAlone) {
  void* shared = map(-1);
  Child sleeper([&] { wait_at(shared); });
  const std::vector<JobProcess> job{sleeper.in_job()};
  sleep_in(SYS_futex, job, job[0], sleeper.pid());
  EXPECT_TRUE(Sleepers(job, Scope::job).look(job[0], sleeper.pid()).asleep);
  EXPECT_FALSE(Sleepers(job, Scope::host).look(job[0], sleeper.pid()).asleep);
  munmap(shared, kBytes);
}

TEST(Mappers, ALineOfTheKernels) {
  const auto memory = SharedMemory::in(
      "7f31c0000000-7f31c0001000 rw-s 00000000 00:1a 42                         /dev/shm/sem.mp-x "
      "(deleted)");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->begin, 0x7f31c0000000U);
  EXPECT_EQ(memory->end, 0x7f31c0001000U);
  EXPECT_EQ(memory->file, "file:26:42");
  EXPECT_TRUE(memory->has_openers());
  EXPECT_TRUE(memory->is_deleted);
  EXPECT_FALSE(
      SharedMemory::in("7f31c0000000-7f31c0001000 rw-p 00000000 00:1a 42 /dev/shm/private"));
  EXPECT_FALSE(SharedMemory::in("7f31c0000000-7f31c0001000 rw-s 00000000 fe:00 42 /home/data"));
  EXPECT_FALSE(SharedMemory::in("7f31c0000000-7f31c0001000 rw-s 00000000 00:00 0 "));
  EXPECT_FALSE(SharedMemory::in(""));
  const auto named =
      SharedMemory::in("7f31c0000000-7f31c0001000 rw-s 00000000 00:01 42    [anon_shmem:queue]");
  ASSERT_TRUE(named) << "a process may give anonymous memory a name (PR_SET_VMA_ANON_NAME)";
  EXPECT_FALSE(named->has_openers());
}

}  // namespace
}  // namespace gridlock::run
