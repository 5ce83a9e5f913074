// Where ranks run: the installation, the back end and the GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/catalogue/gpus.h"
#include "harness/catalogue/installation.h"
#include "harness/catalogue/nccls.h"
#include "harness/catalogue/selection.h"
#include "harness/report/results.h"
#include "harness/run/fellows.h"

namespace gridlock::session {

struct Site {
  catalogue::Installation installation;
  std::string backend;
  std::optional<catalogue::Gpus> gpus;  // of all agents; none on the simulation
  run::Fellows* fellows = nullptr;
  std::optional<catalogue::Nccl> nccl;  // from source, in the place of our own

  catalogue::NcclOrigin nccl_origin() const {
    return nccl ? catalogue::NcclOrigin::source : catalogue::NcclOrigin::own;
  }
};

// `backend` is auto, sim or cuda. If there is no GPU, `gpus` says so.
//   Blocks   until the driver has answered, at most kGpuLimit
Site find_site(const std::string& backend, run::Fellows* fellows);
// The same, for callers that need a GPU if the back end does.
//   Errors   CannotRun for the back end cuda without a GPU
Site find_usable_site(const std::string& backend, run::Fellows* fellows);

std::vector<int> ranks_of(const std::vector<catalogue::Planned>& plan);

// Describes the machine and the build. `scenario` is any of the session's, for the versions that it
// was linked with; may be null.
report::Context context_of(const Site& site, std::vector<int> ranks,
                           const catalogue::Scenario* scenario);

}  // namespace gridlock::session
