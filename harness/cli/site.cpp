// Asks the installation and the driver.
#include "harness/cli/site.h"

#include <fmt/format.h>

#include "harness/cli/context.h"
#include "harness/run/catalogue.h"
#include "harness/run/error.h"
#include "harness/run/gpu_share.h"

namespace gridlock::cli {

Site find_site(const std::string& backend, run::Fellows* fellows) {
  Site site{
      .installation = run::find_installation(), .backend = {}, .gpus = {}, .fellows = fellows};
  site.backend = run::choose_backend(site.installation, backend);
  if (site.backend == "cuda") {
    site.gpus =
        fellows == nullptr ? run::find_gpus(site.installation) : run::together(fellows->gpus());
  }
  return site;
}

Site find_usable_site(const std::string& backend, run::Fellows* fellows) {
  Site site = find_site(backend, fellows);
  if (site.gpus && site.gpus->count == 0) {
    // Where nothing was built for them, GPUs would not help: that is said first.
    static_cast<void>(run::programs(site.installation, site.backend));
    throw run::CannotRun(
        fmt::format("the back end cuda cannot run here: {}; try --backend sim", site.gpus->fault));
  }
  return site;
}

std::vector<int> ranks_of(const std::vector<run::Planned>& plan) {
  std::vector<int> ranks;
  ranks.reserve(plan.size());
  for (const run::Planned& planned : plan) ranks.push_back(planned.ranks);
  return ranks;
}

report::Context context_of(const Site& site, std::vector<int> ranks,
                           const run::Scenario* scenario) {
  report::Context context = make_context(site.backend, std::move(ranks));
  if (site.gpus && site.gpus->count > 0) {
    add_gpus(context, *site.gpus, scenario == nullptr ? 0 : scenario->nccl_version,
             scenario == nullptr ? 0 : scenario->cuda_version);
  }
  return context;
}

}  // namespace gridlock::cli
