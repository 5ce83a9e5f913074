// The commands of the program. Each file <name>_command.cpp has its commands' options and actions.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "harness/run/fellows.h"

namespace gridlock::cli {

struct Command {
  const CLI::App* parser = nullptr;
  // Runs the command, with the agents on other hosts if there are any. Returns the program's exit
  // code. Errors pass to main.
  std::function<int(run::Fellows*)> act;
  bool runs_ranks = false;  // several agents can do it together
};

// A command whose options live as long as it does.
//   act   int(const Options&, run::Fellows*)
template <typename Options, typename Act>
Command command_of(const CLI::App* parser, std::shared_ptr<Options> options, Act act,
                   bool runs_ranks) {
  return {.parser = parser,
          .act = [options, act](run::Fellows* fellows) { return act(*options, fellows); },
          .runs_ranks = runs_ranks};
}

// Each of these adds its command to the program.
Command list_command(CLI::App& app);
Command explain_command(CLI::App& app);
Command run_command(CLI::App& app);
Command claims_command(CLI::App& app);
Command watch_command(CLI::App& app);
Command diagnose_command(CLI::App& app);
Command accept_command(CLI::App& app);
Command soak_command(CLI::App& app);
Command report_command(CLI::App& app);
Command compare_command(CLI::App& app);
Command versions_command(CLI::App& app);
Command nccl_command(CLI::App& app);
Command config_command(CLI::App& app);

}  // namespace gridlock::cli
