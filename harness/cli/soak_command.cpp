// gridlock soak: repeats controls and fixes, and looks for false alarms.
#include <fmt/format.h>

#include <chrono>

#include "harness/accept/formats/sheet.h"
#include "harness/base/duration.h"
#include "harness/base/error.h"
#include "harness/cli/command.h"
#include "harness/cli/parsed.h"
#include "harness/cli/shared_options.h"
#include "harness/report/figures/groups.h"
#include "harness/session/catalogue_cache.h"
#include "harness/session/console.h"
#include "harness/session/context.h"
#include "harness/session/exit_code.h"
#include "harness/session/results/exports.h"
#include "harness/session/results/page.h"
#include "harness/session/results/results_folder.h"
#include "harness/session/results/writer.h"
#include "harness/session/site.h"
#include "harness/session/soaking.h"

namespace gridlock::cli {
namespace {

struct SoakOptions {
  std::vector<std::string> names;
  std::string backend = "auto";
  std::string nccl = kOwnNccl;
  Ranks ranks;
  Duration time{};
  std::uint64_t seed = 0;  // 0: from the clock
  bool no_delays = false;
  session::Outputs outputs;
};

std::uint64_t seed_of(const SoakOptions& options) {
  if (options.seed != 0) return options.seed;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::vector<catalogue::Planned> variants_of(const SoakOptions& options,
                                            session::CatalogueCache& catalogue) {
  if (options.ranks.numbers.size() > 1)
    throw UsageError("soak takes one number of ranks; give one with -n");
  const std::vector<std::string> all{"*"};
  std::vector<catalogue::Planned> planned;
  for (const std::string& pattern : options.names.empty() ? all : options.names) {
    const auto more = session::soakable(
        catalogue.find(pattern, options.ranks.numbers.empty() ? 0 : options.ranks.numbers.front()));
    planned.insert(planned.end(), more.begin(), more.end());
  }
  if (planned.empty()) {
    throw UsageError(
        "none of these variants is a control or a fix that can run with this number of ranks; "
        "`gridlock list` names controls and fixes");
  }
  return planned;
}

int soak(const SoakOptions& options, run::Fellows* fellows) {
  session::Site site =
      session::find_usable_site(backend_for(options.backend, options.nccl), fellows);
  use_nccl(site, options.nccl);
  session::CatalogueCache catalogue(site.installation, site.backend, site.nccl_origin());
  session::SoakPlan plan{.variants = variants_of(options, catalogue),
                         .time = options.time,
                         .seed = seed_of(options),
                         .delays = !options.no_delays};
  raise_descriptor_limit();
  const session::ResultsFolder folder(options.outputs.folder, site.backend + "-soak");
  session::check_writable(options.outputs.json);
  session::Runner runner(site, folder);
  if (!options.outputs.quiet)
    session::print(fmt::format("Soak of {} variants for {}, seed {}{}\n", plan.variants.size(),
                               duration_text(plan.time), plan.seed,
                               plan.delays ? ", with delays" : ""));
  session::Console console(options.outputs.quiet);
  runner.show_on(console);
  console.end_after(plan.time);
  accept::Soaking soaking =
      session::soak(plan, site, runner,
                    {.begins =
                         [&](const report::Run& planned, const accept::SoakTally& tally) {
                           const accept::Soaked total = tally.total();
                           console.begin({.done = total.runs,
                                          .planned = 0,
                                          .differing = total.false_alarms + total.others,
                                          .current = report::full_name(planned)});
                         },
                     .done =
                         [&](const report::Run& run) {
                           if (run.status == report::Status::error || !run.as_declared)
                             console.done(run);
                         }});
  console.clear();
  soaking.context =
      context_of(site, session::ranks_of(plan.variants), plan.variants.front().scenario);
  // Shows the answer first, because writing the reports may fail on a full disk.
  session::print(accept::to_text(soaking));
  const auto json = [&] { return accept::to_json(soaking); };
  const bool all_written = session::write_all({
      {folder.path() / "soak.json", json},
      {folder.path() / "soak.md", [&] { return accept::to_markdown(soaking); }},
      {options.outputs.json, json},
  });
  folder.make_latest();
  session::print(fmt::format("Results: {}\n", folder.path().string()));
  session::show_answer(folder.path(), accept::soak_sheet(json(), "soak.json").sheet,
                       soaking.context, runner.odd(), options.outputs.open);
  // A soak that its user ends is a result. A soak that lost an agent was cut off.
  if (site.fellows != nullptr && !site.fellows->lost().empty()) {
    throw MachineError(fmt::format("{}; what was found until then is in {}", soaking.ended,
                                   folder.path().string()));
  }
  return session::with_files(accept::exit_code(soaking.tally), all_written);
}

}  // namespace

Command soak_command(CLI::App& app) {
  auto options = std::make_shared<SoakOptions>();
  CLI::App* command = app.add_subcommand(
      "soak", "run controls and fixes for hours, with delays, to find false alarms and drift");
  command->add_option("NAMES", options->names,
                      "scenario[/variant], with wildcards [all controls and fixes]");
  command
      ->add_option("--for", parsed_by([time = &options->time](const std::string& text) {
                     *time = parse_duration(text);
                   }),
                   "how long to run (30s, 30m, 12h)")
      ->type_name("DURATION")
      ->required();
  command
      ->add_option("--seed", options->seed,
                   "seed of order and delays, always printed [from the clock]")
      ->type_name("N");
  command->add_flag("--no-delays", options->no_delays, "do not stop ranks at random");
  add_ranks(*command, options->ranks, "number of ranks [the scenario's own]");
  add_backend(*command, options->backend);
  add_nccl(*command, options->nccl);
  add_output(*command, options->outputs);
  add_json(*command, options->outputs, "soak.json");
  add_quiet(*command, options->outputs);
  add_open(*command, options->outputs);
  return command_of(command, options, soak, true);
}

}  // namespace gridlock::cli
