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
#include "tests/fuzz/trial.h"
#include "tests/fuzz/worker.h"

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
  const auto crashes = [](const std::vector<Instruction>& code) {
    return std::any_of(code.begin(), code.end(),
                       [](const Instruction& call) { return call.op == Op::crash; });
  };
  return std::any_of(program.ranks.begin(), program.ranks.end(), crashes);
}

bool waits_for_what_is_past(const record::Snapshot& rank, const record::Thread& thread) {
  if (thread.waits == record::Waits::stream) {
    return rank.streams.at(thread.stream).completed >= thread.position;
  }
  if (thread.waits == record::Waits::nothing) return thread.call == record::Call::event_synchronize;
  if (thread.waits != record::Waits::device && thread.waits != record::Waits::legacy_stream) {
    return false;
  }
  return std::ranges::none_of(rank.operations, [&](const record::Operation& operation) {
    return operation.launched != 0 && operation.launched <= thread.launches &&
           operation.stream != record::kNone &&
           operation.position > rank.streams.at(operation.stream).completed;
  });
}

// Whether the thread copies in the default stream, while another thread has put an operation into a
// stream that waits for it, or for which it waits: which of them came first is not recorded.
bool races_with_a_copy(const record::Snapshot& rank, std::size_t index) {
  const record::Thread& thread = rank.threads[index];
  if (thread.waits != record::Waits::legacy_stream) return false;
  return std::ranges::any_of(rank.operations, [&](const record::Operation& operation) {
    if (operation.stream == record::kNone || operation.thread == index) return false;
    const record::Stream& stream = rank.streams.at(operation.stream);
    return operation.launched >= thread.launches && operation.launched != 0 &&
           !stream.non_blocking && operation.position > stream.completed;
  });
}

// Whether two threads have put work on the default stream and on a blocking one at once, so that
// the end of one of them got no mark.
bool has_unmarked_end(const record::Snapshot& rank) {
  return std::ranges::any_of(
      rank.streams, [](const record::Stream& stream) { return stream.missed > stream.completed; });
}

bool has_race(const std::vector<record::Snapshot>& ranks) {
  return std::ranges::any_of(ranks, [](const record::Snapshot& rank) {
    if (has_unmarked_end(rank)) return true;
    for (std::size_t index = 0; index < rank.threads.size(); ++index) {
      if (!rank.threads[index].exists) continue;
      if (waits_for_what_is_past(rank, rank.threads[index]) || races_with_a_copy(rank, index)) {
        return true;
      }
    }
    return false;
  });
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
