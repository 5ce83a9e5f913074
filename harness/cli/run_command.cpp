// gridlock run: runs scenarios and compares verdicts with the declared ones.
#include "harness/base/error.h"
#include "harness/base/file_descriptor.h"
#include "harness/cli/ask.h"
#include "harness/cli/command.h"
#include "harness/cli/parsed.h"
#include "harness/cli/shared_options.h"
#include "harness/run/start/simulated_hosts.h"

namespace gridlock::cli {
namespace {

struct RunOptions {
  std::vector<std::string> names;
  std::string backend = "auto";
  std::string nccl = kOwnNccl;
  Ranks ranks;
  session::SessionOptions session;
};

int run_scenarios(const RunOptions& options, run::Fellows* fellows) {
  session::Site site =
      session::find_usable_site(backend_for(options.backend, options.nccl), fellows);
  use_nccl(site, options.nccl);
  const std::vector<int> own{0};
  const std::vector<int>& numbers = options.ranks.numbers.empty() ? own : options.ranks.numbers;
  // Never resized: the plan points into it.
  std::vector<std::vector<catalogue::Scenario>> scenarios(numbers.size());
  std::vector<catalogue::Planned> plan;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    scenarios[i] =
        ask(site.installation, site.backend, options.names, numbers[i], site.nccl_origin());
    for (catalogue::Planned planned : catalogue::plan(scenarios[i], options.names)) {
      if (!options.ranks.splits.empty()) planned.split = options.ranks.splits[i];
      plan.push_back(std::move(planned));
    }
  }
  raise_descriptor_limit();
  return session::Session(options.session, site, plan).run();
}

}  // namespace

Command run_command(CLI::App& app) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "run scenarios and compare each verdict with the declared one");
  command->add_option("NAMES", options->names, "scenario[/variant], with wildcards [all]");
  add_ranks(*command, options->ranks,
            "number of ranks, or several (2,4,8) [the scenario's own]; 3+5 starts 3 on the first "
            "of two agents and 5 on the second");
  add_backend(*command, options->backend);
  add_nccl(*command, options->nccl);
  session::SessionOptions& session = options->session;
  add_launcher(*command, session.job.by_mpiexec, "what the scenario declares");
  command
      ->add_option("--hosts", session.job.simulated_hosts,
                   "divide the ranks among this many simulated hosts of this machine, joined by a "
                   "network; needs root and the real NCCL (--nccl) [1; some variants have 2]")
      ->check(CLI::Range(1, run::kMostHosts))
      ->type_name("N");
  add_repeat(*command, session.repeat);
  command
      ->add_option("--cost", count_into(session.cost, 0),
                   "also run each fix and its control in turn, N times, to measure what the cure "
                   "costs")
      ->type_name("N");
  command->add_flag("--utilisation", session.job.utilisation,
                    "keep a hung job for 1.5 s more and record how busy its GPUs are");
  command->add_flag("--observer-check", session.observer_check,
                    "also run each broken variant and each fix without the recorder; both runs "
                    "must end the same way");
  command->add_flag("--keep", session.keep, "keep the black boxes and the output of every run");
  add_output(*command, session.outputs);
  add_files(*command, session.outputs, "results.json");
  add_exports(*command, session.outputs.exports);
  add_quiet(*command, session.outputs);
  add_open(*command, session.outputs);
  add_limits(*command, session.job);
  return command_of(command, options, run_scenarios, true);
}

}  // namespace gridlock::cli
