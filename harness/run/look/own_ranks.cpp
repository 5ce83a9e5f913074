// Makes snapshots from boxes and processes.
#include "harness/run/look/own_ranks.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "harness/processes/process_tree.h"
#include "harness/record/reader.h"
#include "harness/run/look/kernel/descriptors/unanswered.h"
#include "harness/run/look/kernel/earlier_word.h"
#include "harness/run/look/kernel/kernel_view.h"
#include "harness/run/look/kernel/programs/daemons.h"
#include "harness/run/look/kernel/programs/executed.h"
#include "harness/run/start/mpiexec_ends.h"

namespace gridlock::run {
namespace {

using record::ProcessState;
using record::Snapshot;

// A rank of which only the process is known: it may do anything.
Snapshot not_claimed(int rank, std::int64_t pid) {
  Snapshot snapshot;
  snapshot.rank = rank;
  snapshot.pid = pid;
  return snapshot;
}

// Whether it is a process that we, or those we started, have started. In a PID namespace of its
// own, a rank gives a number that is another process's here.
bool is_below_us(std::int64_t pid) {
  return std::ranges::any_of(processes::tree_below(getpid()),
                             [pid](const auto& process) { return process.pid == pid; });
}

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Duration own_work() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

OwnRanks::OwnRanks(const Job& job, const catalogue::Installation& installation)
    : by_program_(job.by_program || job.by_mpiexec),
      restarts_(job.by_program),
      command_(job.command.empty() ? "" : job.command.front()),
      world_size_(job.ranks),
      own_(own_share(job)),
      spread_(own_.ranks != job.ranks || job.simulated_hosts > 1),
      owners_(static_cast<std::size_t>(own_.ranks)),
      boxes_(std::make_shared<Boxes>(own_.ranks, own_.first_local)),
      processes_(job, installation, *boxes_) {}

// Notes in a snapshot what became of the rank's process.
void OwnRanks::add_process(Snapshot& snapshot, std::size_t index) {
  const std::size_t process = by_program_ ? 0 : index;
  const auto& ending = processes_.ending(process);
  if (snapshot.pid == 0 && !by_program_) snapshot.pid = processes_.pid(process);
  const bool is_child = snapshot.pid == processes_.pid(process);
  const bool may_be_daemon = ending && !by_program_ && is_child && snapshot.claim == 0 &&
                             !ending->signaled && ending->code == 0;
  if (may_be_daemon) {
    const pid_t left = daemon_of(command_, own_.first_local + static_cast<int>(index));
    if (left != 0) {
      snapshot = not_claimed(snapshot.rank, left);
      return;
    }
  }
  if (ending && (is_child || has_ended(snapshot.pid) || !is_below_us(snapshot.pid))) {
    snapshot.process = ending->signaled ? ProcessState::signaled : ProcessState::exited;
    snapshot.exit_code = ending->code;
    snapshot.code_known = is_child;
    // mpiexec may end before the processes between it and the ranks, which end these.
    if (by_program_ && !is_child) {
      heed_launcher(snapshot, index, record::anybody_at(record::process_key(own_.first, 0)));
    }
  } else if (!is_child && snapshot.pid != 0 && has_ended(snapshot.pid)) {
    // A descendant: only its parent knows how it ended. If we started that parent for this rank
    // alone (a shell, for example), it may start the rank's next program.
    if (by_program_) {
      // The process that had the box may have been a helper of the rank, which has yet to begin.
      if (const pid_t heir = heir_of(index, snapshot.claim); heir != 0) {
        snapshot = not_claimed(snapshot.rank, heir);
        return;
      }
      snapshot.process = ProcessState::exited;
      snapshot.code_known = false;
      heed_launcher(snapshot, index, record::process_key(own_.first, processes_.pid(process)));
    } else {
      snapshot = not_claimed(snapshot.rank, processes_.pid(process));
    }
  }
}

// mpiexec ends the others if a rank that speaks MPI has ended badly.
void OwnRanks::heed_launcher(Snapshot& gone, std::size_t index, record::ProcessKey launcher) {
  if (!restarts_ && gone.mpi.empty()) return;
  std::int64_t& since = owners_.of(index, gone.claim).gone_ns;
  if (since == 0) since = now_ns();
  gone.launcher = launcher;
  gone.gone_ns = since;
}

// Processes are listed once the one before is gone, not at each look.
pid_t OwnRanks::heir_of(std::size_t index, std::uint64_t claim) {
  std::optional<pid_t>& heir = owners_.of(index, claim).heir;
  if (!heir || (*heir != 0 && has_ended(*heir))) {
    heir = living_with(own_.first_local + static_cast<int>(index));
  }
  return *heir;
}

bool OwnRanks::was_replaced(const Snapshot& snapshot, std::size_t index, Depth depth) {
  if (snapshot.claim == 0 || snapshot.process != ProcessState::alive) return false;
  bool& shows_program = owners_.of(index, snapshot.claim).shows_program;
  if (shows_program && depth < Depth::threads) return false;
  // Where it never does, nobody may look at the process.
  shows_program = shows_program || executed_program(snapshot.pid) != 0;
  return shows_program && executes_another(snapshot.pid, snapshot.program);
}

void OwnRanks::look(std::span<Snapshot> snapshots, const NextIndex& next_index, Depth depth) {
  for (int index = 0; index < own_.ranks; ++index) {
    const int rank = own_.first + index;
    const auto bytes = boxes_->bytes(index);
    Snapshot& snapshot = snapshots[static_cast<std::size_t>(index)];
    Snapshot before = std::exchange(
        snapshot,
        record::read(bytes.data(), bytes.size(), next_index(rank), record::Modules::leave_out));
    // A rank that has made no call yet has claimed no box, so it may do anything.
    snapshot.rank = rank;
    const auto box = static_cast<std::size_t>(index);
    add_process(snapshot, box);
    if (was_replaced(snapshot, box, depth)) snapshot = not_claimed(rank, snapshot.pid);
    if (snapshot.world_size == 0) snapshot.world_size = world_size_;
    if (depth >= Depth::threads && snapshot.process == ProcessState::alive) {
      add_kernel_view(snapshot);
    }
    if (depth == Depth::again) take_over_kernels_word(snapshot, std::move(before));
  }
  known_.waits.begin();
  if (depth >= Depth::threads) {
    add_kernel_waits(snapshots, own_.first, depth == Depth::threads ? Scope::job : Scope::host,
                     spread_, known_,
                     depth == Depth::network ? Purpose::explanation : Purpose::proof);
  }
  if (depth == Depth::network) add_unanswered(snapshots);
}

void OwnRanks::read_modules(std::span<Snapshot> snapshots) {
  // Goes by `snapshots`, because some may never have been taken.
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const auto bytes = boxes_->bytes(static_cast<int>(i));
    snapshots[i].modules =
        record::read(bytes.data(), bytes.size(), ~std::uint64_t{0}, record::Modules::read).modules;
  }
}

std::vector<RankEnd> OwnRanks::ends() const {
  const std::vector<std::string> reports = processes_.reports_under_mpiexec();
  if (!reports.empty()) {
    return ends_under_mpiexec(processes_.ending(0), processes_.output(0), reports);
  }
  std::vector<RankEnd> ends;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    ends.push_back({.ending = processes_.ending(i),
                    .output = processes_.output(i),
                    .report = parse_report(processes_.report(i))});
  }
  return ends;
}

}  // namespace gridlock::run
