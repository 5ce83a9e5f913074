// gridlock soak.
#include <fmt/format.h>

#include <chrono>

#include "harness/cli/catalogue_cache.h"
#include "harness/cli/commands.h"
#include "harness/cli/console.h"
#include "harness/cli/context.h"
#include "harness/cli/site.h"
#include "harness/cli/soaking.h"
#include "harness/cli/writer.h"
#include "harness/report/groups.h"
#include "harness/run/duration.h"
#include "harness/run/error.h"
#include "harness/run/results_folder.h"

namespace gridlock::cli {
namespace {

std::uint64_t seed_of(const Options& options) {
  if (options.soak.seed != 0) return options.soak.seed;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::vector<run::Planned> variants_of(const Options& options, CatalogueCache& catalogue) {
  if (options.ranks.size() > 1) throw run::UsageError("soak takes one number of ranks");
  const std::vector<std::string> all{"*"};
  std::vector<run::Planned> planned;
  for (const std::string& pattern : options.names.empty() ? all : options.names) {
    const auto more =
        soakable(catalogue.find(pattern, options.ranks.empty() ? 0 : options.ranks.front()));
    planned.insert(planned.end(), more.begin(), more.end());
  }
  if (planned.empty()) {
    throw run::UsageError(
        "no control and no fix is among these with this number of ranks; `gridlock list` names "
        "them");
  }
  return planned;
}

}  // namespace

int soak(const Options& options) {
  const Site site = find_usable_site(options.backend, options.fellows);
  CatalogueCache catalogue(site.installation, site.backend);
  SoakPlan plan{.variants = variants_of(options, catalogue),
                .time = options.soak.time,
                .seed = seed_of(options),
                .delays = !options.soak.no_delays};
  run::raise_descriptor_limit();
  const run::ResultsFolder folder(options.output, site.backend + "-soak");
  check_writable(options.json);
  Starter starter(site, folder);
  print(fmt::format("Soak of {} variants for {}, seed {}{}\n", plan.variants.size(),
                    run::duration_text(plan.time), plan.seed, plan.delays ? ", with delays" : ""));
  Console console(false);
  accept::Soaking soaking =
      soak(plan, starter, [&](const report::Run& run, const accept::SoakTally& tally) {
        const accept::Soaked total = tally.total();
        if (run.status == report::Status::error || !run.as_declared) console.done(run);
        console.begin({.done = total.runs,
                       .planned = total.runs,
                       .differing = total.false_alarms + total.others,
                       .current = report::full_name(run)});
      });
  console.clear();
  soaking.context = context_of(site, ranks_of(plan.variants), plan.variants.front().scenario);
  // Before the reports are written, which a full disk may end.
  print(accept::to_text(soaking));
  const std::string json = accept::to_json(soaking);
  run::write_file(folder.path() / "soak.json", json);
  run::write_file(folder.path() / "soak.md", accept::to_markdown(soaking));
  folder.make_latest();
  if (!options.json.empty()) run::write_file(options.json, json);
  print(fmt::format("Results: {}\n", folder.path().string()));
  // A soak that its user ends has found what it has found; one that lost an agent was cut off.
  if (site.fellows != nullptr && !site.fellows->lost().empty()) {
    throw run::MachineError(fmt::format("{}; what was found until then is in {}", soaking.ended,
                                        folder.path().string()));
  }
  return accept::exit_code(soaking.tally);
}

}  // namespace gridlock::cli
