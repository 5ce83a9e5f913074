// hydra's command line, and what its ranks say of themselves.
#include "harness/run/mpiexec.h"

#include "harness/run/capture.h"
#include "harness/run/error.h"

namespace gridlock::run {
namespace {

constexpr const char* kMpiexec = "mpiexec";

std::string find_reason() {
  constexpr const char* kNone = "needs MPICH's mpiexec, and there is none in PATH (Debian: mpich)";
  try {
    const Captured said = capture({kMpiexec, "--version"}, kDescribeLimit);
    const bool is_hydra = said.output.find("HYDRA") != std::string::npos;
    return is_hydra ? "" : "needs MPICH's mpiexec (hydra), and the one in PATH is another";
  } catch (const MachineError&) {
    return kNone;
  }
}

Ending ending_of(const RankReport& report, const Ending& of_mpiexec) {
  switch (report.status) {
    case RankReport::Status::completed:
      return {.signaled = false, .code = 0};
    case RankReport::Status::failed:
      return {.signaled = false, .code = 1};
    case RankReport::Status::skipped:
      return {.signaled = false, .code = kCannotRunHere};
    case RankReport::Status::none:
      break;
  }
  return of_mpiexec;
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

std::vector<RankEnd> ends_under_mpiexec(const std::optional<Ending>& ending,
                                        const std::string& output,
                                        const std::vector<std::string>& reports) {
  std::vector<RankEnd> ends;
  for (const std::string& text : reports) {
    RankEnd& end = ends.emplace_back();
    end.report = parse_report(text);
    if (ending) end.ending = ending_of(end.report, *ending);
  }
  // Whose line is whose is written in front of it.
  if (!ends.empty()) ends.front().output = output;
  return ends;
}

}  // namespace gridlock::run
