// Runs a program in the simulation, under the recorder, and asks the detector about it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/detect/verdict/verdict.h"
#include "harness/record/snapshot.h"
#include "tests/fuzz/programs/program.h"

namespace gridlock::fuzz {

struct Trial {
  enum class End {
    finished,   // all ranks have left
    deadlock,   // proven, and all ranks that it does not name have left
    undecided,  // neither, and nothing moves any more
    failed,     // a call gave an error, or the worker died
  };
  End end = End::undecided;
  detect::Verdict verdict;
  std::vector<int> stuck;  // ranks that are proven dead, sorted
  std::vector<int> named;  // ranks that the verdict names as waiting, sorted
  // Dead by any proof so far, sorted; a proof must stay true. Of processes, only the last is known.
  std::vector<int> ever_proven;
  bool is_part = false;        // other ranks could still act when the proof was told
  bool may_assume = false;     // whether the proof may rest on a named assumption
  bool stay_together = false;  // no rank leaves before all others come to their ends
  // Undecided, and a thread waits for its device although all is past that was launched before its
  // call: another thread launched something at that moment, and nothing says which came first.
  bool raced = false;
  std::string detail;  // of `undecided` and `failed`
};

// How long a run in which nothing moves may go on before it counts as undecided. No verdict depends
// on it, because a run without a disagreement ends by itself.
constexpr std::chrono::milliseconds kPatience{5000};

// Where each rank is, to find out why there was no verdict.
std::string picture(const std::vector<record::Snapshot>& ranks, const detect::Verdict& verdict);

// Whether a rank's threads wait for each other or for signals, or it calls MPI, begins late, or
// makes or ends communicators.
bool needs_processes(const Program& program);

// Every rank is a process if threads wait for each other; the agent's own loop then starts, watches
// and ends the job. Otherwise, for speed, every rank is a thread of one process.
//   Blocks   until there is an end; nothing of the run survives
Trial run(const Program& program, std::chrono::milliseconds patience = kPatience);
Trial run_as_threads(const Program& program, std::chrono::milliseconds patience);
Trial run_as_processes(const Program& program, std::chrono::milliseconds patience);

}  // namespace gridlock::fuzz
