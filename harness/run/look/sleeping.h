// One thread's sleep in the kernel: who can end it.
#pragma once

#include <span>
#include <unordered_map>

#include "harness/record/sleep.h"
#include "harness/run/look/address_space.h"
#include "harness/run/look/holders.h"
#include "harness/run/look/proc.h"

namespace gridlock::run {

// What one look has read of the job's processes so far; nothing is read twice.
class Sleepers {
 public:
  // `job`: all of its processes here; it must outlive this.
  explicit Sleepers(std::span<const JobProcess> job) : job_(job), holders_(job) {}

  // How `tid` of `process` sleeps; `may_be_brief` says only whether it sleeps as for a lock. The
  // order of the reads counts: first where it sleeps, then how often it left a core. Where the
  // number is the same in two looks it slept all the time between.
  //   Blocks   no; two system calls a thread, more for the kinds of sleep that need them
  record::Sleep look(const JobProcess& process, std::int64_t tid);

 private:
  using Wakers = std::optional<std::vector<record::ProcessKey>>;
  struct Wait {
    Wakers wakers;
    std::string on;
    bool is_lock = false;  // or looks like one
  };
  Wait wait_of(const JobProcess& process, const SystemCall& call);
  Wait futex(const JobProcess& process, const SystemCall& call);
  Wait at_descriptor(const JobProcess& process, const SystemCall& call, Wanted wanted);
  Wait child(const JobProcess& process, bool any, std::int64_t pid) const;
  Wait poll(const JobProcess& process, const SystemCall& call);
  Wait select(const JobProcess& process, const SystemCall& call);
  Wait signal(const JobProcess& process, const SystemCall& call) const;
  const AddressSpace& memory_of(std::int64_t pid);

  std::span<const JobProcess> job_;
  Holders holders_;
  std::unordered_map<std::int64_t, AddressSpace> memories_;
};

// The signals that the timers of `pid` (timer_create) may send; alarm() and setitimer() show none.
bool has_timers(std::int64_t pid);

// What may interrupt the process `pid`, of which `status` is one thread. `speaks_mpi`: MPI's
// libraries are in it.
record::Signals signals_of(std::int64_t pid, const ThreadStatus& status, bool speaks_mpi);

}  // namespace gridlock::run
