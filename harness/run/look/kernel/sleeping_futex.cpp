// Who can end a wait at a futex: at a lock, at a condition, for a thread to end.
#include <fmt/format.h>
#include <linux/futex.h>
#include <unistd.h>

#include <span>
#include <utility>

#include "harness/run/look/kernel/programs/executed.h"
#include "harness/run/look/kernel/sleeping.h"
#include "harness/run/look/kernel/time_limit.h"

namespace gridlock::run {
namespace {

// The thread that holds the mutex for which a thread of the process waits; 0: it waits for none.
std::int64_t holder_of_lock(std::int64_t pid, const SystemCall& call) {
  // glibc waits for a mutex as long as its word is 2, and keeps the holder's number two words
  // behind. A mutex with priority inheritance has it in the word itself.
  constexpr std::uint64_t kContended = 2;
  constexpr std::uint64_t kToHolder = 8;
  const int kind = call.as_int(1) & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const bool inherits = kind == FUTEX_LOCK_PI || kind == FUTEX_LOCK_PI2;
  if (!inherits && (kind != FUTEX_WAIT || call.arguments[2] != kContended)) return 0;
  std::uint32_t holder = 0;
  const std::uint64_t address = call.arguments[0] + (inherits ? 0 : kToHolder);
  if (!read_memory(pid, address, std::as_writable_bytes(std::span(&holder, 1)))) return 0;
  holder &= FUTEX_TID_MASK;
  const std::string thread = fmt::format("/proc/{}/task/{}", pid, holder);
  return holder != 0 && access(thread.c_str(), F_OK) == 0 ? holder : 0;
}

}  // namespace

Sleepers::Wait Sleepers::futex(const JobProcess& process, const SystemCall& call) {
  const int operation = call.as_int(1);
  const int kind = operation & ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
  const bool waits = kind == FUTEX_WAIT || kind == FUTEX_WAIT_BITSET || kind == FUTEX_LOCK_PI ||
                     kind == FUTEX_LOCK_PI2;
  if (!waits) return {};
  const TimeLimit limit = limit_of_futex(process.pid, call);
  const bool is_own =
      (operation & FUTEX_PRIVATE_FLAG) != 0 || memory_of(process.pid).is_private(call.arguments[0]);
  if (limit == TimeLimit::near && is_own) {
    const auto lock = pythons_lock_at(process, call.arguments[0]);
    if (lock) return lock->is_held ? pythons_turn(process, call, *lock) : Wait();
  }
  Wait wait = is_own ? own_futex(process, call) : shared_futex(process, call.arguments[0]);
  wait.has_near_limit = limit == TimeLimit::near;
  wait.has_far_limit = limit == TimeLimit::far;
  return wait;
}

Sleepers::Wait Sleepers::own_futex(const JobProcess& process, const SystemCall& call) {
  // A ring (io_uring) lets the kernel wake it.
  const bool has_ring = memory_of(process.pid).has_ring() ||
                        (scope_ == Scope::host && Holders::has_ring(process.pid));
  if (has_ring) return {};
  // The C library joins a thread at a word that holds the thread's number. The kernel clears it
  // when the thread ends, and then wakes as at a shared futex. (A future of C++ sleeps so too, at
  // another number.)
  const int number = call.as_int(2);
  const bool may_join = (call.as_int(1) & FUTEX_PRIVATE_FLAG) == 0 && number > 0;
  const bool joins = may_join && thread_stat(process.pid, number).state != '\0';
  return {.wakers = sharers(process),
          .on = "a futex",
          .is_lock = true,
          .may_idle = true,
          .joins = joins ? number : 0,
          .held_by = holder_of_lock(process.pid, call)};
}

std::optional<PythonsLock> Sleepers::pythons_lock_at(const JobProcess& process,
                                                     std::uint64_t word) {
  return pythons_lock(process.pid, word, memory_of(process.pid).code());
}

// When its time is over, it only asks the holder to give the lock away, and waits again.
Sleepers::Wait Sleepers::pythons_turn(const JobProcess& process, const SystemCall& call,
                                      const PythonsLock& lock) {
  Wait wait = own_futex(process, call);
  wait.on = record::kPythonsLock;
  wait.may_idle = false;
  wait.turns = lock.turns;
  wait.held_by = lock.holder;
  return wait;
}

Sleepers::Wait Sleepers::shared_futex(const JobProcess& process, std::uint64_t address) {
  const SharedMemory* memory = mappers_.find(process.pid, address);
  if (memory == nullptr) return {};
  std::optional<Wakers> wakers = mappers_.of(*memory);
  if (!wakers) return {};
  if (memory->has_openers()) {
    const std::optional<Wakers> openers = holders_.openers(memory->file);
    if (!openers) return {};
    wakers->add(*openers);
  }
  return {.wakers = std::move(wakers), .on = "a futex in shared memory", .is_lock = true};
}

const Wakers& Sleepers::sharers(const JobProcess& process) {
  const auto [known, is_new] = sharers_.try_emplace(process.pid);
  if (!is_new) return known->second;
  for (const JobProcess& other : job_) {
    if (other.pid == process.pid || may_share_memory(process.pid, other.pid)) {
      known->second.keys.push_back(other.key);
    }
  }
  return known->second;
}

}  // namespace gridlock::run
