// Calls --describe, program by program.
#include "harness/cli/ask.h"

#include "harness/catalogue/selection.h"

namespace gridlock::cli {

std::vector<catalogue::Scenario> ask(const catalogue::Installation& installation,
                                     const std::string& backend,
                                     const std::vector<std::string>& names, int ranks,
                                     catalogue::NcclOrigin nccl) {
  std::vector<catalogue::Scenario> scenarios;
  for (const auto& program :
       catalogue::select_programs(catalogue::programs(installation, backend), names)) {
    scenarios.push_back(catalogue::describe(program, ranks, nccl));
  }
  return scenarios;
}

}  // namespace gridlock::cli
