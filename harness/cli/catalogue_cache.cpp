// --describe, remembered.
#include "harness/cli/catalogue_cache.h"

#include "harness/run/error.h"

namespace gridlock::cli {

CatalogueCache::CatalogueCache(const run::Installation& installation, const std::string& backend)
    : programs_(run::programs(installation, backend)) {}

const run::Scenario& CatalogueCache::scenario(const std::filesystem::path& program, int ranks) {
  const auto key = std::pair(program, ranks);
  const auto known = scenarios_.find(key);
  if (known != scenarios_.end()) return known->second;
  run::Scenario scenario = run::describe(program, ranks);
  if (!scenario.fault.empty()) throw run::MachineError(scenario.fault);
  return scenarios_.emplace(key, std::move(scenario)).first->second;
}

std::vector<run::Planned> CatalogueCache::find(const std::string& pattern, int ranks) {
  std::vector<run::Planned> all;
  std::vector<run::Scenario> fitting;
  const std::vector<std::string> patterns{pattern};
  for (const std::filesystem::path& program : run::select_programs(programs_, patterns)) {
    fitting.push_back(scenario(program, ranks));
  }
  // The plan points into `fitting`: what it names is looked up again.
  for (const run::Planned& planned : run::plan(fitting, patterns)) {
    const run::Scenario& kept = scenario(planned.scenario->program, ranks);
    const auto index = planned.variant - planned.scenario->variants.data();
    all.push_back({.scenario = &kept,
                   .variant = &kept.variants[static_cast<std::size_t>(index)],
                   .ranks = planned.ranks});
  }
  return all;
}

}  // namespace gridlock::cli
