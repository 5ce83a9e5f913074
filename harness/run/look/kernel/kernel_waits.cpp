// Looks at the processes below this agent and at their threads.
#include "harness/run/look/kernel/kernel_waits.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/processes/newest.h"
#include "harness/processes/process_tree.h"
#include "harness/run/look/kernel/kernel_view.h"
#include "harness/run/look/kernel/kin.h"
#include "harness/run/look/kernel/locks.h"
#include "harness/run/look/kernel/other_threads.h"
#include "harness/run/look/kernel/signals.h"
#include "harness/run/look/kernel/sleeping.h"

namespace gridlock::run {
namespace {

using record::Snapshot;

std::int64_t time_of_look() {
  return Duration(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Looking {
 public:
  Looking(std::span<Snapshot> snapshots, std::int32_t first_rank, Scope scope, bool spread,
          Remembered& known, Purpose purpose)
      : snapshots_(snapshots),
        scope_(scope),
        spread_(spread),
        known_(known),
        explains_(purpose == Purpose::explanation),
        newest_(scope == Scope::host ? processes::newest() : std::nullopt),
        tree_(processes::whole_tree_below(getpid())) {
    std::unordered_set<std::int64_t> ranks;
    for (const Snapshot& snapshot : snapshots) ranks.insert(snapshot.pid);
    for (const processes::Descendant& one : tree_) {
      if (one.has_ended) continue;
      job_.push_back({.pid = one.pid,
                      .parent = one.parent,
                      .key = record::process_key(first_rank, one.pid),
                      .is_rank = ranks.contains(one.pid)});
    }
    sleepers_.emplace(job_, scope, spread);
  }

  void run() {
    for (Snapshot& snapshot : snapshots_) {
      if (snapshot.process != record::ProcessState::alive) continue;
      snapshot.others.clear();
      if (const JobProcess* own = find(snapshot.pid)) {
        ranks_.insert(own->pid);
        look_at_rank(snapshot, *own);
      } else if (snapshot.pid != 0) {
        // It has a PID namespace of its own, or has just ended.
        snapshot.damage = "its process is not below Gridlock under the number that the box gives";
      }
    }
    const Kin kin(job_, ranks_);
    for (const JobProcess& process : job_) {
      if (!ranks_.contains(process.pid)) look_at_helper(process, kin);
    }
    for (Snapshot& snapshot : snapshots_) tell_nappers(snapshot, nappers_);
    for (Snapshot& snapshot : snapshots_) {
      const auto pid = static_cast<pid_t>(snapshot.pid);
      snapshot.enders.clear();
      snapshot.launchers.clear();
      if (!ranks_.contains(pid)) continue;
      const SignalSet requests = requests_[pid];
      if (requests != 0) snapshot.enders = kin.started_by(pid);
      // MPI's libraries handle this one for their own use.
      if ((requests & ~(snapshot.mpi.empty() ? 0 : signal_bit(SIGHUP))) != 0) {
        const JobProcess* above = find(find(pid)->parent);
        for (; above != nullptr; above = find(above->parent)) {
          // While it sleeps, a signal from outside may have it ask (Slurm's --signal=B:USR1).
          const bool hears = signals_of_helper(above->pid) != record::Signals::none;
          snapshot.launchers.push_back(hears ? kUnlisted : above->key);
        }
      }
      add_first_process(pid, kin, snapshot.enders);
    }
    // Last, because who sleeps cannot send any more.
    const bool lists = spread_ && scope_ == Scope::host;
    snapshots_.front().connections =
        lists ? sleepers_->far_connections() : std::vector<record::FarConnection>{};
    if (scope_ == Scope::host) heed_who_is_not_listed();
  }

 private:
  // Stands for a process that may always act.
  static constexpr record::ProcessKey kUnlisted = 0;

  // Whether the look is for a stall's explanation, which names all who can act. Who can is known
  // from one of them.
  bool explains() const { return explains_; }

  // Whether it may make a communicator as a second process of a rank. A launcher does not.
  static bool may_join(pid_t helper, const Kin& kin) {
    const bool of_rank =
        kin.is_of_rank(helper) || (kin.is_above_one_rank(helper) && has_local_rank(helper));
    return of_rank && has_loader(helper);
  }

  // A helper may have used CUDA first, and so have got the rank's box. Then the rank is a process
  // above it, which has loaded CUDA too, and what that does ends the helper's wait.
  void add_first_process(pid_t rank, const Kin& kin, std::vector<record::ProcessKey>& enders) {
    for (const JobProcess* one = find(rank); one != nullptr; one = find(one->parent)) {
      const bool is_own = kin.is_above_one_rank(one->pid) && has_local_rank(one->pid);
      if (is_own && sleepers_->has_vendors_code(*one)) enders.push_back(one->key);
    }
  }

  // All its threads are looked at, and none counts as a library's. Any process of the job may
  // signal it or kill it, which ends its sleep.
  void look_at_helper(const JobProcess& helper, const Kin& kin) {
    const bool of_rank = kin.is_of_rank(helper.pid);
    const bool joins = may_join(helper.pid, kin);
    std::vector<record::Sleeper>& others = snapshots_.front().others;
    const std::size_t before = others.size();
    look_at_threads(helper, {}, snapshots_.front());
    const record::Signals signals = signals_of_helper(helper.pid);
    for (auto& sleeper : std::span(others).subspan(before)) {
      sleeper.sleep.may_be_brief = false;
      sleeper.sleep.by_anybody = true;
      sleeper.of_rank = of_rank;
      sleeper.launches = kin.is_above_ranks(helper.pid);
      sleeper.may_join = joins;
      // Its handler may do what its threads do.
      sleeper.sleep.for_signal |= signals == record::Signals::sent;
      sleeper.hears = !of_rank && sleeper.sleep.for_signal && !passes_signals_on(helper.pid);
      sleeper.sleep.for_signal &= of_rank;
      if (signals == record::Signals::timed) sleeper.sleep = {};
    }
  }

  // Where processes come and go, one may be missing, and may do anything to the ranks.
  void heed_who_is_not_listed() {
    const bool nobody_began = newest_ && newest_ == processes::newest();
    if (nobody_began && processes::are_all_alive(tree_)) return;
    if (!processes::has_changed(tree_, processes::whole_tree_below(getpid()))) return;
    for (Snapshot& snapshot : snapshots_) snapshot.enders.push_back(kUnlisted);
  }

  const JobProcess* find(std::int64_t pid) const {
    const auto found = std::ranges::find(job_, pid, &JobProcess::pid);
    return found == job_.end() ? nullptr : &*found;
  }

  record::Sleep sleep_of(const JobProcess& process, std::int64_t tid) {
    record::Sleep sleep = sleepers_->look(process, tid);
    const auto lock_at = [&](std::uint64_t word) -> std::optional<PythonsLock> {
      // One who is awake may also run a handler.
      const ThreadStatus status = thread_status(process.pid, tid);
      if (sleepers_->may_run_handler(process, tid, status)) return {};
      return sleepers_->pythons_lock_at(process, word);
    };
    return known_.turns.look(tid, std::move(sleep), sleepers_->pythons_word(tid), lock_at);
  }

  void look_at_rank(Snapshot& snapshot, const JobProcess& own) {
    snapshot.key = own.key;
    const ThreadStatus status = thread_status(own.pid, own.pid);
    snapshot.signals = signals_of(own.pid, status, !snapshot.mpi.empty());
    if (scope_ == Scope::host && library_may_run_handler(own, snapshot)) {
      snapshot.signals = record::Signals::timed;
    }
    requests_[own.pid] = handled_requests_to_end(status);
    snapshot.handles_outer_signal = handles_outer_signal(status, !snapshot.mpi.empty());
    snapshot.processor_time_ns = processor_time(own.pid, status);
    std::unordered_set<std::int64_t> known(snapshot.library_threads.begin(),
                                           snapshot.library_threads.end());
    bool acts = false;
    for (record::Thread& thread : snapshot.threads) {
      known.insert(thread.tid);
      if (!acts && thread.exists && thread.waits != record::Waits::nothing &&
          !is_in_its_wait(own, thread,
                          thread.tid == own.pid ? status : thread_status(own.pid, thread.tid))) {
        thread.waits = record::Waits::nothing;
      }
      look_at_launch(own, thread);
      if (!thread.exists || thread.waits != record::Waits::nothing) continue;
      if (acts && !explains()) continue;
      thread.sleep = sleep_of(own, thread.tid);
      acts = acts || !thread.sleep.asleep;
    }
    if (acts && !explains()) return;
    look_at_threads(own, known, snapshot);
    tell_locks(snapshot);
  }

  // A launch may call code of the program (an allocator, a tool), which sleeps as other code does.
  void look_at_launch(const JobProcess& own, record::Thread& thread) {
    if (!thread.exists || !thread.is_launching()) return;
    thread.in_launch = sleepers_->look(own, thread.tid, In::launch);
    const record::Sleep& sleep = thread.in_launch;
    const bool something_else_ends_it = !sleep.asleep && sleep.awake != record::Awake::runs;
    // Nobody joins a thread to wait for a device, but a compiler joins its own.
    if (something_else_ends_it || sleep.joins != 0) thread.waits = record::Waits::nothing;
  }

  // The kernel chooses which thread runs the handler of a signal, and NCCL's threads block none.
  // Its signal is blocked meanwhile. A thread that blocks all of them was made so, as CUDA's are.
  bool library_may_run_handler(const JobProcess& own, const Snapshot& snapshot) {
    constexpr SignalSet kNeverBlocked = kOfGlibc | signal_bit(SIGKILL) | signal_bit(SIGSTOP);
    return std::ranges::any_of(snapshot.library_threads, [&](std::int64_t tid) {
      const ThreadStatus status = thread_status(own.pid, tid);
      const bool blocks_all = (status.blocked | kNeverBlocked) == ~SignalSet{0};
      if ((status.blocked & ~kOfGlibc) == 0 || blocks_all) return false;
      return system_call(own.pid, tid).sleeps && sleepers_->may_run_handler(own, tid, status);
    });
  }

  // A handler that has interrupted a recorded wait may do anything.
  bool is_in_its_wait(const JobProcess& own, const record::Thread& thread,
                      const ThreadStatus& status) {
    return !sleepers_->may_run_handler(own, thread.tid, status) &&
           known_.waits.waits(own.pid, thread, status);
  }

  // Adds the program's threads that are not `known` to `snapshot`. One that can act replaces all
  // that sleep, unless it sleeps by the clock. Of those that can act, there remain before a proof
  // those_that_count(); for an explanation, all.
  void look_at_threads(const JobProcess& process, const std::unordered_set<std::int64_t>& known,
                       Snapshot& snapshot) {
    const std::size_t before = snapshot.others.size();
    constexpr int kMostListings = 3;
    for (int listing = 0; listing < kMostListings; ++listing) {
      if (add_threads(process, known, snapshot)) return;
      snapshot.others.resize(before);
    }
    // They come and go: one that is never listed may run.
    snapshot.others.push_back({.tid = process.pid, .process = process.key, .sleep = {}});
  }

  // False if one may be missing: a thread has ended since it was listed, so it may have started
  // another one, or the kernel, which lists no more behind one that just ends, counts more.
  bool add_threads(const JobProcess& process, const std::unordered_set<std::int64_t>& known,
                   Snapshot& snapshot) {
    const std::size_t before = snapshot.others.size();
    const std::vector<std::int64_t> listed = threads_of(process.pid);
    std::vector<record::Sleeper> acting;
    for (const std::int64_t tid : listed) {
      if (known.contains(tid) || has_ended_before_others(process.pid, tid)) continue;
      record::Sleeper sleeper{.tid = tid, .process = process.key, .sleep = {}};
      sleeper.sleep = known_.naps.look(tid, sleep_of(process, tid), time_of_look());
      const bool acts = !sleeper.sleep.asleep;
      if (sleeper.sleep.by_clock) nappers_.insert(tid);
      if (acts && tid > 0 && has_ended_just_now(process.pid, tid)) return false;
      if (explains()) describe(sleeper);
      (acts ? acting : snapshot.others).push_back(std::move(sleeper));
      if (acts && scope_ == Scope::job) break;
    }
    if (!acting.empty()) {
      const bool by_clock = all_sleep_by_the_clock(acting);
      if (!by_clock) snapshot.others.resize(before);
      if (!explains()) acting = those_that_count(std::move(acting));
      std::ranges::move(acting, std::back_inserter(snapshot.others));
      if (!by_clock) return true;
    }
    return thread_stat(process.pid, process.pid).threads <= listed.size();
  }

  std::span<Snapshot> snapshots_;
  Scope scope_;
  bool spread_;
  Remembered& known_;
  bool explains_;
  std::optional<pid_t> newest_;  // before the listing
  std::vector<processes::Descendant> tree_;
  std::vector<JobProcess> job_;
  std::unordered_set<pid_t> ranks_;
  std::unordered_map<pid_t, SignalSet> requests_;  // to end, that ranks handle
  std::unordered_set<std::int64_t> nappers_;       // threads that sleep by the clock
  std::optional<Sleepers> sleepers_;
};

}  // namespace

void add_kernel_waits(std::span<record::Snapshot> snapshots, std::int32_t first_rank, Scope scope,
                      bool spread, Remembered& known, Purpose purpose) {
  if (!snapshots.empty()) Looking(snapshots, first_rank, scope, spread, known, purpose).run();
}

}  // namespace gridlock::run
