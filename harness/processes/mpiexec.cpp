// Builds the command line for hydra.
#include "harness/processes/mpiexec.h"

#include "harness/base/error.h"
#include "harness/processes/capture.h"

namespace gridlock::processes {
namespace {

constexpr const char* kMpiexec = "mpiexec";

std::string find_reason() {
  constexpr const char* kNone = "needs MPICH's mpiexec, and PATH has none (Debian: install mpich)";
  try {
    const Captured said = capture({kMpiexec, "--version"}, kDescribeLimit);
    const bool is_hydra = said.output.find("HYDRA") != std::string::npos;
    return is_hydra ? "" : "needs MPICH's mpiexec (hydra), and the mpiexec in PATH is another one";
  } catch (const MachineError&) {
    return kNone;
  }
}

}  // namespace

std::string why_no_mpiexec() {
  static const std::string reason = find_reason();
  return reason;
}

std::vector<std::string> under_mpiexec(const std::vector<std::string>& command,
                                       const std::vector<std::vector<std::string>>& environments) {
  // -l: each line of output begins with the rank.
  std::vector<std::string> whole{kMpiexec, "-l"};
  for (const std::vector<std::string>& environment : environments) {
    if (&environment != &environments.front()) whole.emplace_back(":");
    whole.insert(whole.end(), {"-n", "1"});
    for (const std::string& entry : environment) {
      const std::size_t equals = entry.find('=');
      whole.insert(whole.end(), {"-env", entry.substr(0, equals), entry.substr(equals + 1)});
    }
    whole.insert(whole.end(), command.begin(), command.end());
  }
  return whole;
}

}  // namespace gridlock::processes
