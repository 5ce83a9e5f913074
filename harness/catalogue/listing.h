// The catalogue for tools: what `list --json` and `explain --json` print.
#pragma once

#include <string>
#include <vector>

#include "harness/catalogue/selection.h"

namespace gridlock::catalogue {

// Schema gridlock.catalogue/1 (docs/catalogue_json.md): the scenarios of `plan`, each with the
// variants that the plan names. A scenario whose program did not answer has a fault and no
// variants.
std::string to_json(const std::vector<Planned>& plan, const std::string& backend);

}  // namespace gridlock::catalogue
