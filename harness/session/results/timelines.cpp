// Turns boxes into a timeline, and writes it to a file.
#include "harness/session/results/timelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <system_error>

#include "harness/base/files.h"
#include "harness/detect/calls/ledger.h"
#include "harness/detect/findings/picture.h"
#include "harness/detect/verdict/score.h"
#include "harness/record/reader.h"
#include "harness/report/page/timeline.h"

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;

// The snapshots of the verdict, with the operations that were past by then. What a rank recorded
// after the last look (it was still alive for a moment) is left out.
std::vector<record::Snapshot> with_history(const run::Observation& observation) {
  std::vector<record::Snapshot> all = observation.snapshots;
  for (int rank = 0; observation.boxes && rank < observation.boxes->ranks(); ++rank) {
    const auto bytes = observation.boxes->bytes(rank);
    record::Snapshot box = record::read(bytes.data(), bytes.size(), 0, record::Modules::leave_out);
    const auto at =
        static_cast<std::size_t>(observation.own.first) + static_cast<std::size_t>(rank);
    if (at >= all.size() || box.claim != all[at].claim || !box.damage.empty()) continue;
    std::erase_if(box.operations, [&](const record::Operation& operation) {
      return operation.index >= all[at].recorded;
    });
    if (box.operations.size() >= all[at].operations.size()) {
      all[at].operations = std::move(box.operations);
    }
  }
  return all;
}

std::string drawn(std::span<const record::Snapshot> snapshots, const detect::Verdict& verdict,
                  const report::TimelineMarks& marks, run::Symbols& symbols) {
  detect::Ledger ledger;
  ledger.add(snapshots);
  report::Recorded recorded{.snapshots = snapshots,
                            .verdict = &verdict,
                            .names = &ledger.names(),
                            .picture = nullptr,
                            .marks = marks,
                            .name_of = {}};
  detect::WaitPicture picture;
  if (detect::hangs(verdict.outcome)) {
    detect::Parameters parameters;
    parameters.outsiders = true;
    parameters.now_ns = marks.decided_ns;
    picture = detect::picture_of(snapshots, parameters, ledger, verdict);
    recorded.picture = &picture;
  }
  // If the verdict names callers, their debug information has already been read.
  if (verdict.outcome != detect::Outcome::completes) {
    recorded.name_of = [&](const detect::CodeLocation& place) { return symbols.name(place); };
  }
  return report::timeline_json(recorded);
}

}  // namespace

std::string run_name(const report::Run& run) {
  std::string name = run.variant.empty() ? run.scenario
                                         : fmt::format("{}.{}.n{}.{}", run.scenario, run.variant,
                                                       run.ranks, run.repetition);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

std::string timeline_of(const run::Observation& observation, run::Symbols& symbols) {
  const detect::Moments& at = observation.moments;
  return drawn(with_history(observation), observation.verdict,
               {.started_ns = at.begun_ns,
                .last_progress_ns = at.last_progress_ns,
                .proven_ns = at.proven_ns,
                .decided_ns = at.decided_ns,
                .killed_ns = at.killed_ns},
               symbols);
}

std::string timeline_of(std::span<const record::Snapshot> snapshots, const detect::Verdict& verdict,
                        run::Symbols& symbols) {
  return drawn(snapshots, verdict, {}, symbols);
}

void keep_timeline(const fs::path& folder, const std::string& name, const std::string& timeline) {
  static bool has_told = false;
  if (timeline.size() > report::kMostTimelineBytes) {
    constexpr std::size_t kMiB = std::size_t{1} << 20U;
    fmt::print(stderr,
               "gridlock: the page will show no timeline of {}: it has {} MiB, and a page holds at "
               "most {}\n",
               name, timeline.size() / kMiB + 1, report::kMostTimelineBytes / kMiB);
    return;
  }
  try {
    fs::create_directories(folder / kTimelines);
    write_file(folder / kTimelines / (name + ".json"), timeline);
  } catch (const std::exception& error) {
    if (!has_told) fmt::print(stderr, "gridlock: no timeline was kept: {}\n", error.what());
    has_told = true;
  }
}

fs::path foreign_in_timelines(const fs::path& timelines) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(timelines, error);
  if (!fs::exists(status)) return {};
  if (!fs::is_directory(status)) return timelines;
  for (const fs::directory_entry& entry : fs::directory_iterator(timelines, error)) {
    std::string name = entry.path().filename().string();
    if (name.ends_with(".new")) name.resize(name.size() - 4);
    if (!fs::is_regular_file(entry.symlink_status()) || !name.ends_with(".json")) {
      return entry.path();
    }
  }
  return error ? timelines : fs::path();
}

}  // namespace gridlock::session
