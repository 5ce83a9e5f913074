// The results of a session as plain values. Every report is made from them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/detect/verdict/moments.h"
#include "harness/detect/verdict/verdict.h"

namespace gridlock::report {

enum class Status {
  judged,   // there is a verdict
  skipped,  // it cannot run on this machine or with this number of ranks
  error,    // the harness or the machine failed
};

// How a variant ended with and without the recorder: completes, fails, crashes, corrupts, silent.
struct Observer {
  std::string recorded;
  std::string unrecorded;
  // Both ended in the same way, or each in a way that the variant accepts.
  bool agrees = false;
};

// One run of one variant.
struct Run {
  std::string scenario;  // for a watch: the program
  std::string variant;   // "" for a watch
  std::string role;      // broken, fix, remedy, control; watch
  int repetition = 0;    // from 0
  int ranks = 0;
  Status status = Status::judged;
  std::string reason;  // for a skip or an error
  detect::Verdict verdict;
  std::vector<detect::Outcome> expected;  // accepted outcomes; empty for a watch
  bool as_declared = false;
  std::optional<double> time_to_hang_ms;
  std::optional<double> time_to_detect_ms;
  std::optional<double> time_to_recover_ms;
  std::optional<double> step_time_us;
  std::optional<double> fix_cost;  // step time divided by the control's
  std::string control;             // for a fix: the variant that its cost is measured against
  bool numbers_checked = false;
  std::string numbers_detail;
  std::optional<Observer> observer;  // if the observer check ran
  std::optional<int> score;          // 0 to 5
  std::optional<int> noise;          // ranks wrongly accused
  // By name, which ends with the unit; one value per rank. The scenario measured them, except
  // output_lines (lines that the rank printed) and nccl_log_lines (those that NCCL wrote), which
  // the agent counts.
  std::map<std::string, std::vector<double>> figures;
  detect::Moments moments;
  // The place in the source of each caller in the verdict, by its name:
  // "/src/training/reducer.cpp:88".
  std::map<std::string, std::string> sources;
  // The folder below runs/ with the ranks' black boxes and output; "" if they were not kept.
  std::string kept;
};

// One of several agents that ran a session together, in their order.
struct Agent {
  std::string host;
  int ranks = 0;  // the most that it started
};

// The machine and the build. An empty text is unknown or does not apply.
struct Context {
  std::string date;  // UTC, ISO 8601
  std::string host;
  std::string backend;
  std::vector<int> ranks;
  std::string transport;
  bool shared_gpu = false;
  std::string gpu;
  std::string driver;
  std::string cuda;
  std::string nccl;
  std::string nccl_origin;  // own, or source: which NCCL ran on the simulated CUDA
  // Variables that a shared GPU needs, but that the user had set: they were left alone.
  std::vector<std::string> environment;
  std::string mpi;
  std::string compiler;
  std::string commit;
  std::optional<bool> dirty;
  std::string cpu;
  std::vector<Agent> agents;  // empty if there was only one
  // The greatest error of times that cross agents.
  std::optional<double> clock_error_us;
};

struct Results {
  Context context;
  std::vector<Run> runs;
};

constexpr int kFullScore = 5;

struct Summary {
  int runs = 0;
  int as_declared = 0;
  // A positive is a verdict other than "completes".
  int true_positive = 0;
  int true_negative = 0;
  int false_positive = 0;
  int false_negative = 0;
  int full_score = 0;  // verdicts that are right in every step
  int noise = 0;       // ranks wrongly accused, in all runs together
  int skipped = 0;
  int errors = 0;
  int observer_differs = 0;  // runs that ended differently without the recorder
};

Summary summarise(const std::vector<Run>& runs);

}  // namespace gridlock::report
