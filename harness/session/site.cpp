// Asks the installation and the driver where ranks can run.
#include "harness/session/site.h"

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"
#include "harness/run/start/gpu_share.h"
#include "harness/session/context.h"

namespace gridlock::session {

Site find_site(const std::string& backend, run::Fellows* fellows) {
  Site site{.installation = catalogue::find_installation(),
            .backend = {},
            .gpus = {},
            .fellows = fellows,
            .nccl = {}};
  site.backend = catalogue::choose_backend(site.installation, backend);
  if (site.backend == "cuda") {
    site.gpus = fellows == nullptr ? catalogue::find_gpus(site.installation)
                                   : run::together(fellows->gpus());
  }
  return site;
}

Site find_usable_site(const std::string& backend, run::Fellows* fellows) {
  Site site = find_site(backend, fellows);
  if (site.gpus && site.gpus->count == 0) {
    // If nothing was built for GPUs, having some would not help, so that error comes first.
    static_cast<void>(catalogue::programs(site.installation, site.backend));
    throw CannotRun(
        fmt::format("the back end cuda cannot run here: {}; try --backend sim", site.gpus->fault));
  }
  return site;
}

std::vector<int> ranks_of(const std::vector<catalogue::Planned>& plan) {
  std::vector<int> ranks;
  ranks.reserve(plan.size());
  for (const catalogue::Planned& planned : plan) ranks.push_back(planned.ranks);
  return ranks;
}

report::Context context_of(const Site& site, std::vector<int> ranks,
                           const catalogue::Scenario* scenario) {
  report::Context context = make_context(site.backend, std::move(ranks));
  if (site.backend == "sim") context.nccl_origin = site.nccl ? "source" : "own";
  if (site.nccl) context.nccl = site.nccl->version;
  if (site.nccl) context.transport.clear();  // NCCL's own choice
  if (site.gpus && site.gpus->count > 0) {
    add_gpus(context, *site.gpus, scenario == nullptr ? 0 : scenario->nccl_version,
             scenario == nullptr ? 0 : scenario->cuda_version);
  }
  return context;
}

}  // namespace gridlock::session
