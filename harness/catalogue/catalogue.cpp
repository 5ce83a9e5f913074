// Finds the scenario programs, and asks each for its description.
#include "harness/catalogue/catalogue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "harness/base/error.h"
#include "harness/catalogue/gpus.h"
#include "harness/processes/capture.h"
#include "harness/processes/mpiexec.h"

namespace gridlock::catalogue {
namespace {

namespace fs = std::filesystem;

std::string answer_of(const fs::path& program, int ranks, NcclOrigin nccl) {
  std::vector<std::string> command{program.string(), "--describe"};
  if (ranks > 0) {
    command.emplace_back("--ranks");
    command.push_back(std::to_string(ranks));
  }
  if (nccl == NcclOrigin::source) command.emplace_back("--real-nccl");
  const processes::Captured captured = processes::capture(command, kDescribeLimit);
  if (captured.timed_out) {
    throw MachineError(
        fmt::format("it gave no answer within {} s",
                    std::chrono::duration_cast<std::chrono::seconds>(kDescribeLimit).count()));
  }
  if (captured.ending.signaled) {
    throw MachineError(fmt::format("it crashed ({})", strsignal(captured.ending.code)));
  }
  if (captured.ending.code != 0) {
    throw MachineError(fmt::format("it exited with code {}", captured.ending.code));
  }
  return captured.output;
}

}  // namespace

Scenario describe(const fs::path& program, int ranks, NcclOrigin nccl) {
  try {
    Scenario scenario = parse_description(answer_of(program, ranks, nccl));
    scenario.program = program;
    scenario.name = program.filename().string();
    if (ranks > 0) scenario.ranks = ranks;
    if (const std::string why = scenario.by_mpiexec ? processes::why_no_mpiexec() : "";
        !why.empty()) {
      for (Variant& variant : scenario.variants) variant.needs = why;
    }
    return scenario;
  } catch (const MachineError& error) {
    // One bad program must not keep the others from running.
    Scenario scenario;
    scenario.program = program;
    scenario.name = program.filename().string();
    scenario.ranks = ranks;
    scenario.fault = fmt::format("{} --describe failed: {}", program.string(), error.what());
    return scenario;
  }
}

std::vector<fs::path> programs(const Installation& installation, const std::string& backend) {
  const fs::path folder = installation.scenarios(backend);
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && access(entry.path().c_str(), X_OK) == 0) {
      found.push_back(entry.path());
    }
  }
  if (found.empty()) {
    throw CannotRun(
        fmt::format("there are no scenarios of the back end {} in {}; build it, or "
                    "choose another with --backend",
                    backend, folder.string()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string choose_backend(const Installation& installation, const std::string& wanted) {
  if (wanted != "auto") return wanted;
  std::error_code error;
  const bool has_scenarios = fs::exists(installation.scenarios("cuda"), error);
  return has_scenarios && find_gpus(installation).count > 0 ? "cuda" : "sim";
}

}  // namespace gridlock::catalogue
