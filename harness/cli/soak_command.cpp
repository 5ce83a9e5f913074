// gridlock soak.
#include <fmt/format.h>

#include <chrono>

#include "harness/base/duration.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/cli/commands.h"
#include "harness/report/figures/groups.h"
#include "harness/session/catalogue_cache.h"
#include "harness/session/console.h"
#include "harness/session/context.h"
#include "harness/session/results_folder.h"
#include "harness/session/site.h"
#include "harness/session/soaking.h"
#include "harness/session/writer.h"

namespace gridlock::cli {
namespace {

std::uint64_t seed_of(const session::Options& options) {
  if (options.soak.seed != 0) return options.soak.seed;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::vector<catalogue::Planned> variants_of(const session::Options& options,
                                            session::CatalogueCache& catalogue) {
  if (options.ranks.size() > 1) throw UsageError("soak takes one number of ranks");
  const std::vector<std::string> all{"*"};
  std::vector<catalogue::Planned> planned;
  for (const std::string& pattern : options.names.empty() ? all : options.names) {
    const auto more = session::soakable(
        catalogue.find(pattern, options.ranks.empty() ? 0 : options.ranks.front()));
    planned.insert(planned.end(), more.begin(), more.end());
  }
  if (planned.empty()) {
    throw UsageError(
        "no control and no fix is among these with this number of ranks; `gridlock list` names "
        "them");
  }
  return planned;
}

}  // namespace

int soak(const session::Options& options) {
  const session::Site site = session::find_usable_site(options.backend, options.fellows);
  session::CatalogueCache catalogue(site.installation, site.backend);
  session::SoakPlan plan{.variants = variants_of(options, catalogue),
                         .time = options.soak.time,
                         .seed = seed_of(options),
                         .delays = !options.soak.no_delays};
  raise_descriptor_limit();
  const session::ResultsFolder folder(options.output, site.backend + "-soak");
  check_writable(options.json);
  session::Starter starter(site, folder);
  session::print(fmt::format("Soak of {} variants for {}, seed {}{}\n", plan.variants.size(),
                             duration_text(plan.time), plan.seed,
                             plan.delays ? ", with delays" : ""));
  session::Console console(false);
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
  soaking.context =
      context_of(site, session::ranks_of(plan.variants), plan.variants.front().scenario);
  // Before the reports are written, which a full disk may end.
  session::print(accept::to_text(soaking));
  const std::string json = accept::to_json(soaking);
  write_file(folder.path() / "soak.json", json);
  write_file(folder.path() / "soak.md", accept::to_markdown(soaking));
  folder.make_latest();
  if (!options.json.empty()) write_file(options.json, json);
  session::print(fmt::format("Results: {}\n", folder.path().string()));
  // A soak that its user ends has found what it has found; one that lost an agent was cut off.
  if (site.fellows != nullptr && !site.fellows->lost().empty()) {
    throw MachineError(fmt::format("{}; what was found until then is in {}", soaking.ended,
                                   folder.path().string()));
  }
  return accept::exit_code(soaking.tally);
}

}  // namespace gridlock::cli
