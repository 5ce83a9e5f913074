// A recorded call makes no system call and no allocation.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nccl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "harness/base/files.h"
#include "harness/record/reader.h"
#include "tests/harness/recorder/hot_path/recorded_process.h"

namespace {

std::size_t g_allocations = 0;

}  // namespace

extern "C" {
int MPI_Init(int* count, char*** arguments);
int MPI_Barrier(int communicator);
int MPI_Isend(const void* buffer, int count, int type, int peer, int tag, int communicator,
              int* request);
int MPI_Irecv(void* buffer, int count, int type, int peer, int tag, int communicator, int* request);
int MPI_Waitall(int count, int* requests, void* statuses);

void* __libc_malloc(std::size_t size);
// Replaces the C library's malloc, in this program only.
void* malloc(std::size_t size) {
  ++g_allocations;
  return __libc_malloc(size);
}
}

namespace gridlock {
namespace {

// Streams and events are handles that the null vendor never looks into.
char g_handles[3];
cudaStream_t stream(int number) { return reinterpret_cast<cudaStream_t>(&g_handles[number]); }
cudaEvent_t event() { return reinterpret_cast<cudaEvent_t>(&g_handles[0]); }

// How many operations the calls leave in the box. The null vendor is past each at once, so a stream
// does not wait for the event.
constexpr std::size_t kOperations = 6;

void calls(ncclComm_t communicator) {
  ncclAllReduce(nullptr, nullptr, 1024, ncclFloat32, ncclSum, communicator, stream(1));
  ncclGroupStart();
  ncclSend(nullptr, 1, ncclInt8, 1, communicator, stream(2));
  ncclSend(nullptr, 1, ncclInt8, 1, communicator, stream(2));
  ncclGroupEnd();
  cudaEventRecord(event(), stream(1));
  cudaStreamWaitEvent(stream(2), event(), 0);
  cudaStreamSynchronize(stream(1));
  constexpr int kWorld = 0x44000000;
  constexpr int kByte = 0x4c00010d;
  int requests[2] = {};
  MPI_Barrier(kWorld);
  MPI_Isend(nullptr, 1, kByte, 1, 7, kWorld, &requests[0]);
  MPI_Irecv(nullptr, 1, kByte, 1, 7, kWorld, &requests[1]);
  MPI_Waitall(2, requests, reinterpret_cast<void*>(1));
}

ncclComm_t warmed_up() {
  ncclComm_t communicator = nullptr;
  ncclCommInitRank(&communicator, 2, ncclUniqueId{}, 0);
  static const int mpi = MPI_Init(nullptr, nullptr);
  EXPECT_EQ(mpi, 0);
  calls(communicator);
  return communicator;
}

record::Snapshot own_box() {
  const char* address = std::getenv("GRIDLOCK_BOXES");
  const std::string boxes = address == nullptr ? "" : address;
  return record::read_file("/proc/self/fd/" + boxes.substr(boxes.rfind(':') + 1));
}

TEST(HotPath, IsRecorded) {
  ncclComm_t communicator = warmed_up();
  const std::uint64_t before = own_box().operations.back().index;
  calls(communicator);
  const record::Snapshot snapshot = own_box();
  EXPECT_EQ(snapshot.damage, "");
  EXPECT_EQ(snapshot.operations.back().index, before + kOperations);
  EXPECT_FALSE(snapshot.communicators.back().uncertain);
  EXPECT_EQ(snapshot.backend, "cuda");
}

TEST(HotPath, AllocatesNothing) {
  ncclComm_t communicator = warmed_up();
  const std::size_t before = g_allocations;
  ASSERT_GT(before, 0U) << "the counter does not count";
  for (int i = 0; i < 10000; ++i) calls(communicator);
  EXPECT_EQ(g_allocations, before);
}

constexpr std::size_t kBelow = 144;  // words below the caller's frame
constexpr std::size_t kOwn = 64;     // the first of them may be the recorder's own frame
constexpr std::uint64_t kSoil = 0x5011ed5011ed5011;

[[gnu::noinline]] void soil_stack() {
  std::uint64_t below[kBelow];
  for (std::uint64_t& word : below) word = kSoil;
  asm volatile("" : : "r"(below) : "memory");
}

[[gnu::noinline]] std::size_t soiled_words() {
  std::uint64_t below[kBelow];
  asm volatile("" : "=m"(below));  // whatever is there
  return static_cast<std::size_t>(std::count(std::begin(below), std::end(below) - kOwn, kSoil));
}

// What an earlier call has left there would look like a call in which a later sleeper is.
TEST(HotPath, LeavesTheStackBelowClear) {
  warmed_up();
  soil_stack();
  ASSERT_GT(soiled_words(), kBelow / 2);
  soil_stack();
  cudaStreamSynchronize(stream(1));
  EXPECT_EQ(soiled_words(), 0U);
}

// The wait status of a fresh process under the recorder, which makes the calls and then `what`. Any
// system call except exit kills it.
int status_without_system_calls(const char* what) {
  const pid_t child = fork();
  if (child == 0) {
    unsetenv("GRIDLOCK_BOXES");
    setenv("GRIDLOCK_HOT_PATH", what, 1);
    char* arguments[] = {program_invocation_name, nullptr};
    execv("/proc/self/exe", arguments);
    _exit(1);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child ? status : -1;
}

TEST(HotPath, MakesNoSystemCall) {
  const int status = status_without_system_calls("only the calls");
  ASSERT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status)
                                 << ": SIGSYS (31) means a system call on the path";
  EXPECT_EQ(WEXITSTATUS(status), 42);
}

TEST(HotPath, ASystemCallWouldBeNoticed) {
  const int status = status_without_system_calls("and a system call");
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSYS);
}

// From here on, any system call except exit kills the process. (seccomp's strict mode would also
// forbid reading the processor's clock, which the vDSO does instead of a system call.)
bool forbid_system_calls() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

[[noreturn]] void calls_without_system_calls() {
  ncclComm_t communicator = warmed_up();
  if (own_box().operations.size() != kOperations) _exit(2);
  if (!forbid_system_calls()) _exit(3);
  for (int i = 0; i < 10000; ++i) calls(communicator);
  if (std::getenv("GRIDLOCK_HOT_PATH")[0] == 'a') syscall(SYS_getppid);
  syscall(SYS_exit, 42);
  __builtin_unreachable();
}

}  // namespace
}  // namespace gridlock

int main(int argc, char** argv) {
  if (!gridlock::run_recorded(argv)) return 1;
  if (std::getenv("GRIDLOCK_HOT_PATH") != nullptr) gridlock::calls_without_system_calls();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
