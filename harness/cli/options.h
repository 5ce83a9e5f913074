// What the command line says.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/run/limits.h"

namespace gridlock::cli {

struct Options {
  std::vector<std::string> names;    // scenario[/variant], with wildcards; claims; folders
  std::vector<std::string> command;  // of watch
  std::vector<int> ranks;            // empty: the scenario's own number
  std::string backend = "auto";
  int repeat = 1;
  int cost = 0;                  // pairs of control and fix for each fix
  std::filesystem::path output;  // empty: results/<utc>-<backend>
  std::filesystem::path json;    // empty: not wanted
  std::filesystem::path junit;
  run::Duration stall_limit{};  // zero: the command's own default
  run::Duration run_limit{};
  bool observer_check = false;  // also without the recorder: it must change nothing
  bool utilisation = false;     // of the GPUs, while a job hangs
  bool strict = false;
  bool keep = false;
  bool share_gpus = false;  // watch: ranks may be more than there are GPUs
  bool by_program = false;
  bool quiet = false;   // nothing is said of single runs
  bool parity = false;  // compare: the two sessions are of the two back ends
  bool as_json = false;
  bool as_markdown = false;
  std::filesystem::path first;   // folder or file: of diagnose, report, compare and claims
  std::filesystem::path second;  // of compare
};

// Exit codes of the program.
enum ExitCode : int {
  kAsDeclared = 0,
  kDiffers = 1,
  kWrongUsage = 2,
  kNothingConcluded = 3,
  kCannotRun = 77,
};

}  // namespace gridlock::cli
