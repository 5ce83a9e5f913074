// What the command line says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/limits.h"
#include "harness/run/fellows.h"

namespace gridlock::session {

// Of accept alone.
struct AcceptOptions {
  bool list = false;
  bool dry_run = false;
  std::vector<std::string> tags;
  std::vector<std::string> skip_tags;
  std::string shard;   // "2/3"; empty: all
  int until_fail = 0;  // 0: the profile's own repetitions
  int stop_after = 0;  // 0: never
  std::filesystem::path resume;
  std::filesystem::path baseline;
  std::filesystem::path write_baseline;
};

// Of soak alone.
struct SoakOptions {
  Duration time{};
  std::uint64_t seed = 0;  // 0: from the clock
  bool no_delays = false;
};

struct Options {
  std::vector<std::string> names;    // scenario[/variant], with wildcards; claims; folders
  std::vector<std::string> command;  // of watch
  std::vector<int> ranks;            // empty: the scenario's own number
  // Of each of those numbers, what each agent starts; empty where that is divided evenly.
  std::vector<std::vector<int>> splits;
  std::string backend = "auto";
  int repeat = 1;
  int cost = 0;                  // pairs of control and fix for each fix
  std::filesystem::path output;  // empty: results/<utc>-<backend>
  std::filesystem::path json;    // empty: not wanted
  std::filesystem::path junit;
  Duration stall_limit{};  // zero: the command's own default
  Duration run_limit{};
  bool observer_check = false;  // also without the recorder: it must change nothing
  bool utilisation = false;     // of the GPUs, while a job hangs
  bool strict = false;
  bool kill_on_stall = false;  // of `watch`
  bool keep = false;
  bool share_gpus = false;  // watch: ranks may be more than there are GPUs
  bool by_program = false;
  bool by_mpiexec = false;  // ranks are started through mpiexec
  bool quiet = false;       // nothing is said of single runs
  bool parity = false;      // compare: the two sessions are of the two back ends
  AcceptOptions accept;
  SoakOptions soak;
  bool as_json = false;
  bool as_markdown = false;
  std::filesystem::path first;      // folder or file: of diagnose, report, compare and claims
  std::filesystem::path second;     // of compare
  run::Fellows* fellows = nullptr;  // the other agents, where there are some
};

// Exit codes of the program.
enum ExitCode : int {
  kAsDeclared = 0,
  kDiffers = 1,
  kWrongUsage = 2,
  kNothingConcluded = 3,
  kInconclusive = 4,  // accept and soak
  kCannotRun = kCannotRunHere,
};

}  // namespace gridlock::session
