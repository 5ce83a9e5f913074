// Claims a box: from the environment to a mapped, published box.
#include "harness/recorder/core/recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/record/words.h"
#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/process/library_threads.h"
#include "harness/recorder/core/process/modules.h"
#include "harness/recorder/core/process/process_identity.h"
#include "harness/recorder/core/process/vendor.h"
#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/core/thread.h"

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

// Returns the rank's two boxes.
record::Box* map_boxes() {
  const int file = open_box();
  if (file < 0) return nullptr;
  struct stat status {};
  void* memory = MAP_FAILED;
  constexpr std::size_t kSize = record::kBoxesOfRank * sizeof(record::Box);
  constexpr auto kEnd = static_cast<off_t>(kSize);
  // The agent may leave sizing to us. The file only grows, so it never shrinks under a reader.
  // A box has no name. The number may be another file's by now, if the agent has ended.
  const bool is_box = fstat(file, &status) == 0 && status.st_nlink == 0 && S_ISREG(status.st_mode);
  if (is_box && (status.st_size >= kEnd || ftruncate(file, kEnd) == 0)) {
    memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
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
  header.program = record::own_program();
  gethostname(header.host, sizeof header.host - 1);
  std::strncpy(header.backend, backend(), sizeof header.backend - 1);
  return header;
}

std::int64_t load_pid(const record::Box& box) { return record::load_acquire(box.header.pid); }

// Who has claimed `box`, if that process no longer runs; else 0.
std::int64_t gone_owner(const record::Box& box) {
  const std::int64_t owner = load_pid(box);
  const std::uint64_t started = start_time(static_cast<pid_t>(owner));
  // 0 if the owner has not published its start time yet.
  const std::uint64_t claimed_by = record::load_acquire(box.header.start_time);
  const bool gone = started == 0 || (claimed_by != 0 && started != claimed_by);
  return gone ? owner : 0;
}

bool g_is_successor = false;

// Claims `box` unless a process that still runs has it.
bool claim(record::Box* box) {
  // This process has no box, so an owner with its own pid was this process before exec.
  const bool is_ours = load_pid(*box) == getpid();
  g_is_successor = load_pid(*box) != 0;
  g_writer = record::Writer(box);
  if (!g_writer.claim(getpid(), is_ours ? getpid() : gone_owner(*box))) return false;
  g_writer.publish(describe());
  return true;
}

// Null if this process is no rank's.
record::Box* boxes() {
  static record::Box* const both = map_boxes();
  return both;
}

bool is_taken_over(const record::Box* both) {
  return record::load_acquire(both[1].header.magic) == record::kMagic;
}

Recording claim_box() {
  record::Box* const both = boxes();
  if (both == nullptr) return Recording::off;
  if (!is_taken_over(both)) return claim(&both[0]) ? Recording::on : Recording::elsewhere;
  // The first box's owner may be the rank, and this process one more helper.
  const bool first_runs = gone_owner(both[0]) == 0 && load_pid(both[0]) != getpid();
  if (first_runs && gone_owner(both[1]) != 0) return Recording::elsewhere;
  return claim(&both[1]) ? Recording::on : Recording::elsewhere;
}

// Whether the process of `box` is in a communicator with others, or was in MPI.
bool has_fellows(const record::Box& box) {
  if (!box.header.mpi.view().empty()) return true;
  const std::uint32_t count =
      std::min(record::load_acquire(box.header.communicators), record::kCommunicators);
  return std::any_of(
      box.communicators, box.communicators + count,
      [](const record::CommunicatorEntry& entry) { return record::load_relaxed(entry.size) > 1; });
}

// A program that this process ran before has made communicators of its own, and has ended, or was
// only a check of one device.
void take_back() {
  record::Box* const both = boxes();
  if (&g_writer.box() != both || !is_taken_over(both)) return;
  if (gone_owner(both[1]) == 0 && has_fellows(both[1])) return;
  record::store_release(both[1].header.magic, 0);
}

Recording take_over() {
  record::Box* const both = boxes();
  const record::Header& first = both[0].header;
  const bool is_in_use = record::load_acquire(first.communicators) > 0 || !first.mpi.view().empty();
  return !is_in_use && claim(&both[1]) ? Recording::on : Recording::elsewhere;
}

class NotCancelled {
 public:
  NotCancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  NotCancelled(const NotCancelled&) = delete;
  NotCancelled& operator=(const NotCancelled&) = delete;
  ~NotCancelled() { pthread_setcancelstate(before_, nullptr); }

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// Moves on from `from`, by one thread; the others wait for it, so it must not be cancelled.
void decide(Recording from, Recording (*how)()) {
  const NotCancelled until_decided;
  if (g_recording.compare_exchange_strong(from, Recording::deciding)) {
    const Recording decided = how();
    g_recording.store(decided, std::memory_order_release);
    if (decided == Recording::on) {
      look_up_once();
      publish_library_threads();
      refresh_modules();
    }
  }
  while (g_recording.load(std::memory_order_acquire) == Recording::deciding) sched_yield();
}

// A forked child (a data loader's worker) must not write its parent's box.
void after_fork_in_child() {
  const Recording before = g_recording.load(std::memory_order_relaxed);
  const bool has_no_box = before == Recording::undecided || before == Recording::elsewhere;
  g_recording.store(has_no_box ? before : Recording::off, std::memory_order_relaxed);
  forget_library_threads();
  forget_graphs();
  forget_parents_thread();
  clear_stack(kSleepersFrames);
}

// An exception of the program may pass through a call that is recorded (from an error handler of
// MPI's, or to cancel a thread). The program's own copy of the unwinder then asks this library's
// copy, which aborts unless it was used before.
void ready_unwinder() {
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_END_OF_STACK; }, nullptr);
}

[[gnu::constructor]] void watch_forks() {
  if (std::getenv("GRIDLOCK_BOXES") == nullptr) {
    g_recording = Recording::off;
    return;
  }
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  ready_unwinder();
  // The vendors' libraries were here first: their constructors tell CUDA about device code. Nothing
  // of the program's lies below yet, but the stack may be limited.
  constexpr std::size_t kConstructorsFrames = 65536;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
  clear_stack(std::min<std::size_t>(kConstructorsFrames, limit.rlim_cur / 4));
}

}  // namespace

bool is_successor() { return g_is_successor; }

bool decide_recording() {
  decide(Recording::undecided, claim_box);
  return g_recording.load(std::memory_order_acquire) == Recording::on;
}

void take_over_recording() {
  if (g_recording.load(std::memory_order_acquire) == Recording::undecided) decide_recording();
  if (g_recording.load(std::memory_order_acquire) == Recording::elsewhere) {
    decide(Recording::elsewhere, take_over);
  } else if (g_recording.load(std::memory_order_acquire) == Recording::on) {
    take_back();
  }
}

}  // namespace gridlock::recorder
