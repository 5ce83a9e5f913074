// What scenario programs say of themselves. Each program is asked once.
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
  //   Errors   CannotRun when the back end is not part of this installation
  CatalogueCache(const catalogue::Installation& installation, const std::string& backend);

  // The variants that `pattern` asks for with `ranks` ranks (0: their scenario's own number). They
  // point into this cache.
  //   Errors   UsageError when there is none; MachineError when a program does not answer
  std::vector<catalogue::Planned> find(const std::string& pattern, int ranks);
  // Any scenario, for the versions that all were linked with.
  const catalogue::Scenario& any() { return scenario(programs_.front(), 0); }

 private:
  const catalogue::Scenario& scenario(const std::filesystem::path& program, int ranks);

  std::vector<std::filesystem::path> programs_;
  std::map<std::pair<std::filesystem::path, int>, catalogue::Scenario> scenarios_;
};

}  // namespace gridlock::session
