// A session's results live no longer than it does, so they are copied.
#include "harness/session/versions.h"

#include <fmt/format.h>

namespace gridlock::session {

std::vector<report::Results> run_versions(const SessionOptions& options, const Site& site,
                                          const std::vector<catalogue::Nccl>& nccls,
                                          const std::vector<catalogue::Planned>& plan,
                                          const ResultsFolder& folder) {
  std::vector<report::Results> all;
  for (const catalogue::Nccl& nccl : nccls) {
    if (!options.outputs.quiet) print(fmt::format("NCCL {}\n", nccl.version));
    Site here = site;
    here.nccl = nccl;
    SessionOptions with_folder = options;
    with_folder.outputs.folder = folder.path() / nccl.version;
    all.push_back(Session(with_folder, here, plan).collect());
  }
  return all;
}

}  // namespace gridlock::session
