// Runs a program with a process for each rank, watched as `gridlock watch` does it.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "harness/base/file_descriptor.h"
#include "harness/detect/judge.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/processes/interrupts.h"
#include "harness/run/watch.h"
#include "tests/fuzz/live/races.h"
#include "tests/fuzz/live/trial.h"
#include "tests/fuzz/live/worker.h"

namespace gridlock::fuzz {
namespace {

// A file without a name, in which rank 0 leaves the communicators' ids for the others.
FileDescriptor meeting_place() {
  FileDescriptor file(memfd_create("ids", MFD_CLOEXEC));
  if (file.get() < 0 || ftruncate(file.get(), kMeetingBytes) != 0) {
    throw std::runtime_error("no memory file for the communicators' ids");
  }
  return file;
}

bool dies_by_itself(const Program& program) {
  return any_call(program, [](const Instruction& call) { return call.op == Op::crash; });
}

Trial::End end_of(detect::Outcome outcome, bool may_die) {
  switch (outcome) {
    case detect::Outcome::deadlock:
      return Trial::End::deadlock;
    case detect::Outcome::completes:
    case detect::Outcome::corrupts:
      return Trial::End::finished;
    case detect::Outcome::fails:
    case detect::Outcome::crashes:
      return may_die ? Trial::End::finished : Trial::End::failed;
    default:
      return Trial::End::undecided;
  }
}

}  // namespace

Trial run_as_processes(const Program& program, std::chrono::milliseconds patience) {
  static processes::Interrupts interrupts;
  const FileDescriptor ids = meeting_place();
  run::Job job;
  job.by_mpiexec = program.mpi;
  job.command = {program.mpi ? GRIDLOCK_FUZZ_WORKER "_mpi" : GRIDLOCK_FUZZ_WORKER, to_text(program),
                 fmt::format("/proc/{}/fd/{}", getpid(), ids.get())};
  job.ranks = static_cast<int>(program.ranks.size());
  job.stall_limit = patience;
  job.environment = {"GRIDLOCK_SIM_BUFFER=" + std::to_string(kBufferBytes)};
  const run::Observation seen = run::watch(job, {.root = GRIDLOCK_BUILD}, interrupts);
  if (!seen.fault.empty()) throw std::runtime_error(seen.fault);
  Trial trial;
  trial.may_assume = true;
  trial.stay_together = program.mpi;
  trial.verdict = seen.verdict;
  trial.end = end_of(seen.verdict.outcome, dies_by_itself(program));
  trial.raced = trial.end == Trial::End::undecided && has_race(seen.snapshots);
  // A rank that sleeps in its own code waits in no recorded place; it is among those to blame.
  std::set<int> named(seen.verdict.culprits.begin(), seen.verdict.culprits.end());
  for (const detect::Wait& wait : seen.verdict.waiting) {
    named.insert(wait.ranks.begin(), wait.ranks.end());
  }
  const std::vector<int> dead =
      detect::Judge(run::parameters_of(job)).look_once(seen.snapshots).dead;
  for (int rank = 0; rank < job.ranks; ++rank) {
    // Under mpiexec no rank ends before all others come to their ends.
    if (!program.mpi && seen.ranks[static_cast<std::size_t>(rank)].ending) continue;
    // Nor need one end that still acts when the proof has stood for long enough.
    if (!program.mpi && !named.contains(rank) && !std::ranges::count(dead, rank)) {
      trial.is_part = true;
      continue;
    }
    trial.stuck.push_back(rank);
    if (named.contains(rank)) trial.named.push_back(rank);
  }
  trial.detail = explanation(seen.verdict);
  for (const run::RankEnd& rank : seen.ranks) {
    if (rank.output.find("failed") == std::string::npos) continue;
    trial.end = Trial::End::failed;
    trial.detail = rank.output;
  }
  if (trial.end == Trial::End::deadlock) trial.ever_proven = trial.stuck;
  return trial;
}

}  // namespace gridlock::fuzz
