// Remembers the answers to --describe.
#include "harness/session/catalogue_cache.h"

#include "harness/base/error.h"

namespace gridlock::session {

CatalogueCache::CatalogueCache(const catalogue::Installation& installation,
                               const std::string& backend, catalogue::NcclOrigin nccl)
    : programs_(catalogue::programs(installation, backend)), nccl_(nccl) {}

const catalogue::Scenario& CatalogueCache::scenario(const std::filesystem::path& program,
                                                    int ranks) {
  const auto key = std::pair(program, ranks);
  const auto known = scenarios_.find(key);
  if (known != scenarios_.end()) return known->second;
  catalogue::Scenario scenario = catalogue::describe(program, ranks, nccl_);
  if (!scenario.fault.empty()) throw MachineError(scenario.fault);
  return scenarios_.emplace(key, std::move(scenario)).first->second;
}

std::vector<catalogue::Planned> CatalogueCache::find(const std::string& pattern, int ranks) {
  std::vector<catalogue::Planned> all;
  std::vector<catalogue::Scenario> fitting;
  const std::vector<std::string> patterns{pattern};
  for (const std::filesystem::path& program : catalogue::select_programs(programs_, patterns)) {
    fitting.push_back(scenario(program, ranks));
  }
  // The plan points into `fitting`, so each entry is looked up again in the cache.
  for (const catalogue::Planned& planned : catalogue::plan(fitting, patterns)) {
    const catalogue::Scenario& kept = scenario(planned.scenario->program, ranks);
    const auto index = planned.variant - planned.scenario->variants.data();
    all.push_back({.scenario = &kept,
                   .variant = &kept.variants[static_cast<std::size_t>(index)],
                   .ranks = planned.ranks});
  }
  return all;
}

}  // namespace gridlock::session
