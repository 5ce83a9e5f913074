// Finds out which processes can end a thread's sleep in the kernel.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "harness/record/sleep.h"
#include "harness/run/look/kernel/address_space.h"
#include "harness/run/look/kernel/descriptors/holders.h"
#include "harness/run/look/kernel/descriptors/mappers.h"
#include "harness/run/look/kernel/descriptors/polled.h"
#include "harness/run/look/kernel/proc.h"
#include "harness/run/look/kernel/programs/pythons_lock.h"

namespace gridlock::run {

// Where the box shows a thread.
enum class In : std::uint8_t {
  unrecorded_code,
  launch  // it is in a vendor's call, and may be in code of the program that this calls
};

// Caches what one look has read about the job's processes; nothing is read twice.
class Sleepers {
 public:
  // `job`: all its processes on this host; it must outlive this. `spread`: others are on other
  // hosts, simulated ones included.
  explicit Sleepers(std::span<const JobProcess> job, Scope scope = Scope::host, bool spread = false)
      : job_(job), scope_(scope), holders_(job, scope, spread), mappers_(job, scope) {}

  // How `tid` of `process` sleeps. `may_be_brief` only says whether it sleeps as if for a lock. The
  // order of the reads matters: first where it sleeps, then how often it left a core. If that
  // number is equal in two looks, the thread slept all the time in between.
  //   Blocks   no; two reads per thread, more for some kinds of sleep
  record::Sleep look(const JobProcess& process, std::int64_t tid, In in = In::unrecorded_code);

  // Whether `tid` of `process`, with this status, may run a signal's handler, whatever call it is
  // in. Of a thread that is awake this shows only if the signal is still handled.
  //   Blocks   no
  bool may_run_handler(const JobProcess& process, std::int64_t tid, const ThreadStatus& status);

  // The lock of Python that a thread of `process` waits for at the futex `word`, if it does.
  //   Blocks   as pythons_lock()
  std::optional<PythonsLock> pythons_lock_at(const JobProcess& process, std::uint64_t word);

  // The job's connections to other hosts, as they are now: ask after the threads.
  std::vector<record::FarConnection> far_connections() { return holders_.far_connections(); }

  // The futex at which `tid` was found asleep for Python's lock; 0: it was not.
  std::uint64_t pythons_word(std::int64_t tid) const {
    const auto found = pythons_words_.find(tid);
    return found == pythons_words_.end() ? 0 : found->second;
  }

  // Whether `process` has loaded CUDA, NCCL or MPI.
  bool has_vendors_code(const JobProcess& process) {
    return memory_of(process.pid).has_vendors_code();
  }

 private:
  struct Wait {
    std::optional<Wakers> wakers;
    std::string on;
    bool is_lock = false;   // it sleeps as if for a lock
    bool may_idle = false;  // at a futex of its own process
    bool at_one_file = false;
    bool is_signal = false;
    bool has_far_limit = false;
    bool has_near_limit = false;
    bool only_by_clock = false;               // see Sleep::only_by_clock
    std::int64_t joins = 0;                   // see Sleep::joins
    std::int64_t held_by = 0;                 // see Sleep::held_by
    std::optional<std::uint64_t> turns = {};  // instead of how often it left a core
  };
  Wait wait_of(const JobProcess& process, const SystemCall& call);
  Wait futex(const JobProcess& process, const SystemCall& call);
  Wait own_futex(const JobProcess& process, const SystemCall& call);
  Wait pythons_turn(const JobProcess& process, const SystemCall& call, const PythonsLock& lock);
  Wait shared_futex(const JobProcess& process, std::uint64_t address);
  Wait at_descriptor(const JobProcess& process, const SystemCall& call, Wanted wanted);
  Wait event_loop(const JobProcess& process, const SystemCall& call, bool has_limit);
  Wait file_lock(const JobProcess& process, int descriptor);
  Wait system_v(const JobProcess& process, const SystemCall& call) const;
  Wait message_queue(const JobProcess& process, int descriptor);
  Wait child(const JobProcess& process, bool any, std::int64_t pid) const;
  // It sleeps until a time.
  Wait clock(const JobProcess& process) const;
  Wait connection(const JobProcess& process, const SystemCall& call);
  Wait poll(const JobProcess& process, const SystemCall& call);
  Wait at_any(const JobProcess& process, const std::optional<std::vector<PolledDescriptor>>& polled,
              bool has_limit);
  Wait signal(const JobProcess& process, const SystemCall& call) const;
  // For how long it sleeps at most; 0: not known, or for kFarLimit and more.
  static Duration limit_of(const JobProcess& process, const SystemCall& call);
  const AddressSpace& memory_of(std::int64_t pid);
  bool is_frozen(std::int64_t pid);
  // The processes with the same memory as `process`, which is one of them.
  const Wakers& sharers(const JobProcess& process);

  std::span<const JobProcess> job_;
  Scope scope_;
  Holders holders_;
  Mappers mappers_;
  std::unordered_map<std::int64_t, AddressSpace> memories_;
  std::unordered_map<std::int64_t, Wakers> sharers_;
  std::unordered_map<std::int64_t, bool> frozen_;
  std::unordered_map<std::int64_t, std::uint64_t> pythons_words_;  // by thread
};

}  // namespace gridlock::run
