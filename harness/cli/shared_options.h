// Options that several commands share. Each has one name, one meaning and one help text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/session/session.h"

namespace gridlock::cli {

// The value of -n.
struct Ranks {
  std::vector<int> numbers;  // empty: the scenario's own number
  // How many of each number every agent starts. Empty if they are split evenly.
  std::vector<std::vector<int>> splits;
};

//   backend   auto, sim or cuda; keeps its value if the option is not given
void add_backend(CLI::App& command, std::string& backend, const char* usual = "auto");
// --nccl: which libnccl.so.2 the ranks get on the simulated CUDA.
inline constexpr const char* kOwnNccl = "own";
void add_nccl(CLI::App& command, std::string& nccl);
// The back end for what --backend and --nccl say: an NCCL from source needs the simulated CUDA.
//   Errors   UsageError if `backend` is cuda, and `nccl` is not our own
std::string backend_for(const std::string& backend, const std::string& nccl);
// Has the site's ranks use what --nccl says.
//   Errors   CannotRun if it has not been built
void use_nccl(session::Site& site, const std::string& nccl);
void add_ranks(CLI::App& command, Ranks& ranks, const char* help);
void add_repeat(CLI::App& command, int& repeat);
void add_launcher(CLI::App& command, bool& by_mpiexec, const char* usual);
// --stall-limit, --run-limit, --strict.
void add_limits(CLI::App& command, session::JobOptions& options);
void add_strict(CLI::App& command, bool& strict);
void add_output(CLI::App& command, session::Outputs& outputs);
void add_quiet(CLI::App& command, session::Outputs& outputs);
// An option that names a file to write; "-" is standard output, and then nothing else is printed
// there.
//   what   what is written: "a page of HTML"
void add_file(CLI::App& command, const char* name, std::filesystem::path& file,
              const std::string& what);
// --json.
//   file   the file that it copies: "results.json"
void add_json(CLI::App& command, session::Outputs& outputs, const std::string& file);
// --trace, --flight-records, --benchmark, --prometheus, --sarif.
void add_exports(CLI::App& command, session::Exports& exports);
// --prometheus, for commands that have no other export.
void add_prometheus(CLI::App& command, session::Exports& exports);
// --json and --junit.
void add_files(CLI::App& command, session::Outputs& outputs, const std::string& file);

// --open.
void add_open(CLI::App& command, session::Outputs& outputs);

}  // namespace gridlock::cli
