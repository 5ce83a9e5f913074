// Reads what ranks under mpiexec report.
#include "harness/run/start/mpiexec_ends.h"

#include "harness/base/error.h"

namespace gridlock::run {
namespace {

processes::Ending ending_of(const RankReport& report, const processes::Ending& of_mpiexec) {
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

std::vector<RankEnd> ends_under_mpiexec(const std::optional<processes::Ending>& ending,
                                        const std::string& output,
                                        const std::vector<std::string>& reports) {
  std::vector<RankEnd> ends;
  for (const std::string& text : reports) {
    RankEnd& end = ends.emplace_back();
    end.report = parse_report(text);
    if (ending) end.ending = ending_of(end.report, *ending);
  }
  // Each line begins with its rank.
  if (!ends.empty()) ends.front().output = output;
  return ends;
}

}  // namespace gridlock::run
