// gridlock: the command line, and the only place where errors end.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>

#include "harness/agents/join.h"
#include "harness/base/duration.h"
#include "harness/base/error.h"
#include "harness/base/names.h"
#include "harness/catalogue/selection.h"
#include "harness/cli/accept_options.h"
#include "harness/cli/commands.h"
#include "harness/cli/parsed.h"
#include "harness/processes/guard.h"
#include "harness/record/format.h"
#include "harness/session/commit.h"
#include "harness/session/options.h"

namespace gridlock::cli {
namespace {

using Command = int (*)(const session::Options&);

void add_limits(CLI::App& command, session::Options& options) {
  command
      .add_option("--stall-limit", parsed_by([&](const std::string& text) {
                    options.stall_limit = parse_duration(text);
                  }),
                  "without progress for this long, and no deadlock proven: a stall (500ms, 2s)")
      ->type_name("DURATION");
  command
      .add_option("--run-limit", parsed_by([&](const std::string& text) {
                    options.run_limit = parse_duration(text);
                  }),
                  "a run ends after this time at the latest")
      ->type_name("DURATION");
  command.add_flag("--strict", options.strict,
                   "take threads that never made a recorded call as able to act");
}

void add_reports(CLI::App& command, session::Options& options) {
  command.add_option("--output", options.output,
                     "folder for the results [results/<utc>-<backend>]");
  command.add_option("--json", options.json, "also write results.json to this file");
  command.add_option("--junit", options.junit, "also write JUnit XML to this file");
}

void add_backend(CLI::App& command, session::Options& options) {
  command
      .add_option("--backend", parsed_by([&](const std::string& text) {
                    if (text != "auto" && text != "sim" && text != "cuda") {
                      throw UsageError(fmt::format(
                          "there is no back end \"{}\"; it is auto, sim or cuda", text));
                    }
                    options.backend = text;
                  }),
                  "auto, sim or cuda [auto]")
      ->type_name("NAME");
}

void add_ranks(CLI::App& command, session::Options& options, const char* help) {
  command
      .add_option("-n,--ranks", parsed_by([&](const std::string& text) {
                    options.ranks = catalogue::parse_ranks(text);
                    options.splits = catalogue::parse_splits(text);
                  }),
                  help)
      ->type_name("N[+N...][,N...]");
}

void add_repeat(CLI::App& command, session::Options& options) {
  command
      .add_option("--repeat", count_into(options.repeat, 1), "how often each variant is run [1]")
      ->type_name("N");
}

void add_launcher(CLI::App& command, session::Options& options, const char* help) {
  command
      .add_option("--launcher", parsed_by([&](const std::string& text) {
                    if (text != "own" && text != "mpiexec") {
                      throw UsageError(fmt::format(
                          "there is no launcher \"{}\"; it is own or mpiexec (programs that start "
                          "their ranks themselves: watch --ranks-by-program)",
                          text));
                    }
                    options.by_mpiexec = text == "mpiexec";
                  }),
                  help)
      ->type_name("NAME");
}

CLI::App* add_list(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand("list", "the scenarios and their variants");
  command->add_option("NAMES", options.names, "scenario[/variant], with wildcards");
  add_backend(*command, options);
  command->add_flag("--markdown", options.as_markdown, "print a table for a page");
  return command;
}

CLI::App* add_explain(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand("explain", "what a scenario teaches");
  command->add_option("SCENARIO", options.names)->required();
  add_backend(*command, options);
  return command;
}

CLI::App* add_run(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand("run", "run scenarios and judge the detector by them");
  command->add_option("NAMES", options.names, "scenario[/variant], with wildcards; all if none");
  add_ranks(*command, options,
            "numbers of ranks [the scenario's own]; 3+5: so many on each of two agents");
  add_backend(*command, options);
  add_launcher(*command, options,
               "own, or mpiexec for ranks that speak MPI [what the scenario declares]");
  add_repeat(*command, options);
  command
      ->add_option("--cost", count_into(options.cost, 0),
                   "also run each fix and its control in turn, this often: what the cure costs")
      ->type_name("PAIRS");
  command->add_flag("--utilisation", options.utilisation,
                    "keep a hung job for 1.5 s more and record how busy its GPUs are");
  command->add_flag("--observer-check", options.observer_check,
                    "run each broken variant and each fix without the recorder too: they must end "
                    "the same way");
  command->add_flag("--keep", options.keep, "keep the black boxes and the output of every run");
  add_reports(*command, options);
  add_limits(*command, options);
  return command;
}

CLI::App* add_claims(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand("claims", "the field notes' claims, answered by runs");
  command->add_option("IDS", options.names, "claims (A5) or whole notes (A); all if none");
  command->add_option("--from", options.first,
                      "answer from this results folder or results.json, and run nothing");
  add_ranks(*command, options, "numbers of ranks [the scenario's own]");
  add_backend(*command, options);
  add_repeat(*command, options);
  command->add_option("--output", options.output,
                      "folder for the results [results/<utc>-<backend>]");
  CLI::Option* json = command->add_flag("--json", options.as_json, "print JSON");
  command->add_flag("--markdown", options.as_markdown, "print a table for a page")->excludes(json);
  return command;
}

CLI::App* add_watch(CLI::App& app, session::Options& options) {
  CLI::App* command =
      app.add_subcommand("watch", "start any program as ranks and say why it hangs, if it does");
  add_ranks(*command, options, "number of ranks [1]");
  add_launcher(*command, options, "own, or mpiexec for a program that speaks MPI [own]");
  command
      ->add_option(
          "--on-stall", parsed_by([&](const std::string& text) {
            if (text != "kill" && text != "report") {
              throw UsageError("--on-stall takes kill or report");
            }
            options.kill_on_stall = text == "kill";
          }),
          "what a stall, which is no proof, does to the job: `report` tells it and watches "
          "on, `kill` ends it [report]")
      ->type_name("kill|report");
  command->add_flag("--ranks-by-program", options.by_program,
                    "PROGRAM is a launcher (torchrun, mpiexec) that starts the ranks itself");
  command->add_flag("--share-gpus", options.share_gpus,
                    "with fewer GPUs than ranks, let NCCL accept several on one");
  add_reports(*command, options);
  add_limits(*command, options);
  command->add_option("PROGRAM", options.command, "the program and its arguments, after --");
  return command;
}

CLI::App* add_diagnose(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand("diagnose", "the verdict on black boxes that were kept");
  command->add_option("BOXES", options.first, "folder of a run that was kept")->required();
  command->add_flag("--strict", options.strict,
                    "take threads that never made a recorded call as able to act");
  return command;
}

CLI::App* add_compare(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand("compare", "two sessions' verdicts and figures");
  command->add_option("BASE", options.first, "results folder or results.json")->required();
  command->add_option("NEW", options.second, "results folder or results.json")->required();
  command->add_flag("--parity", options.parity,
                    "BASE is a session of the simulation, NEW one of GPUs: where they differ "
                    "undeclared");
  return command;
}

CLI::App* add_report(CLI::App& app, session::Options& options) {
  CLI::App* command = app.add_subcommand("report", "a session's table and verdicts again");
  command
      ->add_option("DIR", options.names, "results folder or results.json; several are put together")
      ->required();
  add_reports(*command, options);
  return command;
}

// CLI11 would only say that a command is missing.
//   Errors   UsageError when the first word is no command
void require_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return;
  const std::string near = nearest(argv[1], names);
  throw UsageError(fmt::format("there is no command \"{}\"; {}", argv[1],
                               near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                            : fmt::format("did you mean {}?", near)));
}

// What must be equal on all agents.
std::string build() {
  return fmt::format("of {}{}, box format {}",
                     *session::kCommit == '\0' ? std::string("no known commit")
                                               : fmt::format("commit {}", session::kCommit),
                     session::kDirty ? " with local changes" : "", record::kVersion);
}

// Over all agents that mpiexec or srun has started: on those that follow nothing of the command is
// done but what agent 0 asks for.
int over_agents(Command command, session::Options& options) {
  return agents::lead_or_follow(catalogue::find_installation(), build(),
                                [&](run::Fellows* fellows) {
                                  options.fellows = fellows;
                                  return command(options);
                                });
}

int dispatch(int argc, char** argv) {
  CLI::App app("Reproducible deadlocks of GPU collective communication, proven and cured.",
               "gridlock");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("gridlock {} {}", GRIDLOCK_VERSION, build()));
  session::Options options;
  struct Entry {
    CLI::App* parser;
    Command command;
    bool runs_ranks = false;
  };
  const std::vector<Entry> entries{{add_list(app, options), list},
                                   {add_explain(app, options), explain},
                                   {add_run(app, options), run_scenarios, true},
                                   {add_watch(app, options), watch, true},
                                   {add_diagnose(app, options), diagnose},
                                   {add_compare(app, options), compare},
                                   {add_report(app, options), report},
                                   {add_claims(app, options), claims, true},
                                   {add_accept(app, options), accept_machine, true},
                                   {add_soak(app, options), soak, true}};
  require_command(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? session::kAsDeclared : session::kWrongUsage;
  }
  const auto chosen = std::find_if(entries.begin(), entries.end(),
                                   [](const Entry& entry) { return entry.parser->parsed(); });
  return chosen->runs_ranks ? over_agents(chosen->command, options) : chosen->command(options);
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
  // Everything runs behind the guard, the parsing too: a small process guards best.
  return reported([&] {
    const bool has_fellows = gridlock::agents::launched_agents() > 1;
    return gridlock::processes::guarded(
        [&] { return reported([&] { return gridlock::cli::dispatch(argc, argv); }); },
        has_fellows ? gridlock::kGuardStay : gridlock::Duration(0));
  });
}
