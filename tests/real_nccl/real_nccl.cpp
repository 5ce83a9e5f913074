// Looks for the record that the build leaves.
#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {

std::string why_not() {
  const std::filesystem::path record =
      std::filesystem::path(GRIDLOCK_BUILD) / "nccl" / GRIDLOCK_NCCL / "build.json";
  if (std::filesystem::exists(record)) return {};
  return "NCCL " GRIDLOCK_NCCL " was not built (needs its source in ../shared/nccl and clang 19)";
}

end_to_end::Done watch(const end_to_end::Folder& folder, int ranks,
                       const std::vector<std::string>& program, const Environment& environment) {
  std::vector<std::string> arguments{
      "watch", "--nccl", GRIDLOCK_NCCL, "-n", std::to_string(ranks), "--json", "out.json", "--"};
  arguments.push_back(std::string(GRIDLOCK_PROGRAMS) + "/" + program.front());
  arguments.insert(arguments.end(), program.begin() + 1, program.end());
  return end_to_end::gridlock(arguments, folder, environment);
}

}  // namespace gridlock::real_nccl
