// gridlock: parses the command line. It is the only place that catches errors.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>

#include "harness/agents/join.h"
#include "harness/base/error.h"
#include "harness/base/names.h"
#include "harness/catalogue/installation.h"
#include "harness/cli/command.h"
#include "harness/cli/help.h"
#include "harness/processes/guard.h"
#include "harness/record/format.h"
#include "harness/session/commit.h"
#include "harness/session/console.h"
#include "harness/session/exit_code.h"

namespace gridlock::cli {
namespace {

// Suggests the command that was meant. CLI11 would only say that one is missing.
//   Errors   UsageError if `word`, the first one, is not a command
void require_command(const CLI::App& app, const char* word) {
  if (word[0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string near = nearest(word, names);
  throw UsageError(fmt::format("there is no command \"{}\"; {}", word,
                               near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean {}?", near)));
}

// The build, which must be equal on all agents.
std::string build() {
  return fmt::format("of {}{}, box format {}",
                     *session::kCommit == '\0' ? std::string("no known commit")
                                               : fmt::format("commit {}", session::kCommit),
                     session::kDirty ? " with local changes" : "", record::kVersion);
}

// The first agent runs the command. The agents that mpiexec or srun started beside it only follow:
// each does what the first asks.
int over_agents(const Command& command) {
  return agents::lead_or_follow(catalogue::find_installation(), build(), command.act);
}

constexpr const char* kFooter =
    "`gridlock COMMAND --help` shows the options of a command.\n"
    "\n"
    "Exit codes: 0 all as declared; 1 a verdict differs, or a check failed; 2 wrong usage;\n"
    "3 the harness or the machine failed; 4 inconclusive (accept, soak); 77 nothing can run "
    "here.\n";

std::vector<Command> add_commands(CLI::App& app) {
  struct Part {
    const char* heading;
    std::vector<Command (*)(CLI::App&)> commands;
  };
  const std::vector<Part> parts{
      {"When your own program hangs", {watch_command, diagnose_command}},
      {"Hangs to run and to learn from",
       {list_command, explain_command, run_command, claims_command}},
      {"Is a machine fit for use", {accept_command, soak_command}},
      {"Results of earlier sessions", {report_command, compare_command}},
      {"The real NCCL without a GPU", {versions_command, nccl_command, config_command}}};
  std::vector<Command> all;
  for (const auto& [heading, commands] : parts) {
    for (const auto add : commands) {
      all.push_back(add(app));
      app.get_subcommands({}).back()->group(heading);
    }
  }
  return all;
}

int dispatch(int argc, char** argv) {
  CLI::App app("Reproducible deadlocks of GPU collective communication, proven and cured.",
               "gridlock");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("gridlock {} {}", GRIDLOCK_VERSION, build()));
  app.formatter(std::make_shared<Help>());
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  const std::vector<Command> commands = add_commands(app);
  app.footer(kFooter);  // after the commands, which would take it over
  if (argc < 2) {
    session::print(app.help());
    return session::kWrongUsage;
  }
  require_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? session::kAsDeclared : session::kWrongUsage;
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& command) { return command.parser->parsed(); });
  return chosen->runs_ranks ? over_agents(*chosen) : chosen->act(nullptr);
}

int reported(const std::function<int()>& command) {
  try {
    return command();
  } catch (const UsageError& error) {
    fmt::print(stderr, "gridlock: {}\n", error.what());
    return session::kWrongUsage;
  } catch (const CannotRun& error) {
    fmt::print(stderr, "gridlock: {}\n", error.what());
    return session::kCannotRun;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridlock: {}\n", error.what());
    return session::kNothingConcluded;
  }
}

}  // namespace
}  // namespace gridlock::cli

int main(int argc, char** argv) {
  using gridlock::cli::reported;
  // The guard starts first and runs everything else in its child, because a small process guards
  // best.
  return reported([&] {
    const bool has_fellows = gridlock::agents::launched_agents() > 1;
    return gridlock::processes::guarded(
        [&] { return reported([&] { return gridlock::cli::dispatch(argc, argv); }); },
        has_fellows ? gridlock::kGuardStay : gridlock::Duration(0));
  });
}
