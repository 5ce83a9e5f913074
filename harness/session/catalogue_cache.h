// Keeps the scenario programs' descriptions. Each program is asked once.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/selection.h"

namespace gridlock::session {

class CatalogueCache {
 public:
  //   Errors   CannotRun if the back end is not part of this installation
  CatalogueCache(const catalogue::Installation& installation, const std::string& backend,
                 catalogue::NcclOrigin nccl);

  // The variants that `pattern` asks for with `ranks` ranks (0: their scenario's own number). They
  // point into this cache.
  //   Errors   UsageError if there is none; MachineError if a program does not answer
  std::vector<catalogue::Planned> find(const std::string& pattern, int ranks);
  // Any scenario. All were linked with the same versions.
  const catalogue::Scenario& any() { return scenario(programs_.front(), 0); }

 private:
  const catalogue::Scenario& scenario(const std::filesystem::path& program, int ranks);

  std::vector<std::filesystem::path> programs_;
  catalogue::NcclOrigin nccl_;
  std::map<std::pair<std::filesystem::path, int>, catalogue::Scenario> scenarios_;
};

}  // namespace gridlock::session
