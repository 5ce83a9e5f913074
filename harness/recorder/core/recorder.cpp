// Claims a box: from the environment to a mapped, published box.
#include "harness/recorder/core/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/process/library_threads.h"
#include "harness/recorder/core/process/modules.h"
#include "harness/recorder/core/process/process_identity.h"
#include "harness/recorder/core/process/vendor.h"

namespace gridlock::recorder {

constinit std::atomic<Recording> g_recording = Recording::undecided;
constinit record::Writer g_writer(nullptr);

namespace {

int from_environment(std::initializer_list<const char*> names, int otherwise) {
  for (const char* name : names) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return std::atoi(value);
  }
  return otherwise;
}

int local_rank() {
  return from_environment(
      {"LOCAL_RANK", "SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID"}, -1);
}

// GRIDLOCK_BOXES=/proc/<agent>/fd:<base>; the box of local rank r is /proc/<agent>/fd/<base + r>.
int open_box() {
  const char* boxes = std::getenv("GRIDLOCK_BOXES");
  const int rank = local_rank();
  if (boxes == nullptr || rank < 0) return -1;
  const char* colon = std::strrchr(boxes, ':');
  if (colon == nullptr) return -1;
  char path[128];
  const int length = std::snprintf(path, sizeof path, "%.*s/%d", static_cast<int>(colon - boxes),
                                   boxes, std::atoi(colon + 1) + rank);
  if (length < 0 || length >= static_cast<int>(sizeof path)) return -1;
  return open(path, O_RDWR | O_CLOEXEC);
}

record::Box* map_box() {
  const int file = open_box();
  if (file < 0) return nullptr;
  struct stat status {};
  void* memory = MAP_FAILED;
  constexpr auto kSize = static_cast<off_t>(sizeof(record::Box));
  // The agent may leave sizing to us. A box only grows, so it never shrinks under a reader.
  if (fstat(file, &status) == 0 && (status.st_size >= kSize || ftruncate(file, kSize) == 0)) {
    memory = mmap(nullptr, sizeof(record::Box), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<record::Box*>(memory);
}

record::Header describe() {
  record::Header header{};
  header.start_time = start_time(getpid());
  header.local_rank = local_rank();
  header.rank = from_environment({"RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"},
                                 header.local_rank);
  header.world_size =
      from_environment({"WORLD_SIZE", "SLURM_NTASKS", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 0);
  header.claimed_monotonic_ns = now_ns();
  header.claimed_realtime_ns = now_ns(CLOCK_REALTIME);
  gethostname(header.host, sizeof header.host - 1);
  std::strncpy(header.backend, backend(), sizeof header.backend - 1);
  return header;
}

bool claim() {
  record::Box* box = map_box();
  if (box == nullptr) return false;
  g_writer = record::Writer(box);
  const std::int64_t owner = __atomic_load_n(&box->header.pid, __ATOMIC_ACQUIRE);
  const std::uint64_t started = start_time(static_cast<pid_t>(owner));
  // 0 if the owner has not published its start time yet.
  const std::uint64_t claimed_by = __atomic_load_n(&box->header.start_time, __ATOMIC_ACQUIRE);
  // We have not claimed the box yet, so an owner with our own pid was this process before exec.
  const bool gone = owner == getpid() ||
                    (owner != 0 && (started == 0 || (claimed_by != 0 && started != claimed_by)));
  if (!g_writer.claim(getpid(), gone ? owner : 0)) {
    munmap(box, sizeof(record::Box));
    return false;
  }
  g_writer.publish(describe());
  return true;
}

// A forked child (a data loader's worker) must not write its parent's box.
void after_fork_in_child() {
  const Recording before = g_recording.load(std::memory_order_relaxed);
  g_recording.store(before == Recording::undecided ? before : Recording::off,
                    std::memory_order_relaxed);
  forget_library_threads();
}

[[gnu::constructor]] void watch_forks() {
  if (std::getenv("GRIDLOCK_BOXES") == nullptr) {
    g_recording = Recording::off;
    return;
  }
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
}

}  // namespace

bool decide_recording() {
  Recording expected = Recording::undecided;
  if (g_recording.compare_exchange_strong(expected, Recording::deciding)) {
    const bool claimed = claim();
    g_recording.store(claimed ? Recording::on : Recording::off, std::memory_order_release);
    if (claimed) {
      publish_library_threads();
      refresh_modules();
    }
    return claimed;
  }
  while (g_recording.load(std::memory_order_acquire) == Recording::deciding) sched_yield();
  return g_recording.load(std::memory_order_acquire) == Recording::on;
}

}  // namespace gridlock::recorder
