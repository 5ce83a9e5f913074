// Writes and reads the ranks' files, and how their processes ended.
#include "harness/session/results/keep.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/processes/output.h"
#include "harness/record/reader.h"
#include "harness/session/results/kept_run.h"
#include "harness/session/results/results_folder.h"

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;
using ParsedJson = nlohmann::json;

constexpr const char* kSchema = "gridlock.ends/1";

ParsedJson json_of(const record::Snapshot& snapshot) {
  static constexpr std::array kStates{"alive", "exited", "signaled"};
  return {{"rank", snapshot.rank},
          {"process", kStates.at(static_cast<std::size_t>(snapshot.process))},
          {"code", snapshot.exit_code},
          {"code_known", snapshot.code_known},
          {"other_threads", snapshot.other_threads}};
}

void apply(const ParsedJson& end, record::Snapshot& snapshot) {
  const std::string process = end.at("process");
  if (process == "exited") snapshot.process = record::ProcessState::exited;
  if (process == "signaled") snapshot.process = record::ProcessState::signaled;
  snapshot.exit_code = end.at("code");
  snapshot.code_known = end.at("code_known");
  snapshot.other_threads = end.at("other_threads");
}

void add_ends(const fs::path& folder, std::vector<record::Snapshot>& snapshots) {
  const fs::path file = folder / kKeptEnds;
  if (!fs::exists(file)) return;
  try {
    const ParsedJson json = ParsedJson::parse(read_file(file));
    if (json.at("schema") != kSchema)
      throw UsageError(fmt::format("the schema of {} is not {}", file.string(), kSchema));
    for (const ParsedJson& end : json.at("ranks")) {
      const int rank = end.at("rank");
      const auto found =
          std::find_if(snapshots.begin(), snapshots.end(),
                       [&](const record::Snapshot& snapshot) { return snapshot.rank == rank; });
      if (found != snapshots.end()) apply(end, *found);
    }
  } catch (const ParsedJson::exception& error) {
    throw UsageError(fmt::format("{} is damaged: {}", file.string(), error.what()));
  }
}

}  // namespace

void keep(const fs::path& folder, const run::Observation& observation, run::Fellows* fellows) {
  std::string output;
  for (std::size_t rank = 0; rank < observation.ranks.size(); ++rank) {
    output += processes::prefixed(observation.ranks[rank].output, static_cast<int>(rank));
  }
  write_file(folder / kKeptOutput, output);
  ParsedJson ends{{"schema", kSchema}, {"ranks", ParsedJson::array()}};
  for (const record::Snapshot& snapshot : observation.snapshots) {
    ends["ranks"].push_back(json_of(snapshot));
  }
  write_file(folder / kKeptEnds, ends.dump(1) + "\n");
  const auto save = [&](int rank, const void* box, std::size_t size) {
    const fs::path file = folder / kept_box(rank);
    const std::string error = record::save(box, size, file.string());
    if (!error.empty()) throw MachineError(error);
  };
  for (int rank = 0; observation.boxes && rank < observation.boxes->ranks(); ++rank) {
    const auto bytes = observation.boxes->bytes(rank);
    save(observation.own.first + rank, bytes.data(), bytes.size());
  }
  for (const record::Snapshot& snapshot : observation.snapshots) {
    const int rank = snapshot.rank;
    if (fellows == nullptr || (rank >= observation.own.first && rank < observation.own.end())) {
      continue;
    }
    const std::string box = fellows->box(rank);
    if (!box.empty()) save(rank, box.data(), box.size());
  }
}

std::vector<record::Snapshot> load(const fs::path& folder) {
  std::error_code error;
  std::vector<record::Snapshot> snapshots;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".box") continue;
    snapshots.push_back(record::read_file(entry.path().string()));
    if (!snapshots.back().damage.empty()) {
      throw UsageError(fmt::format("{}: {}", entry.path().string(), snapshots.back().damage));
    }
    // A rank that made no call has not claimed its box, so only the file name has its number.
    if (snapshots.back().rank < 0) {
      snapshots.back().rank = rank_of_kept_box(entry.path().filename().string());
    }
  }
  if (error) throw UsageError(fmt::format("{}: {}", folder.string(), error.message()));
  if (snapshots.empty()) {
    throw UsageError(
        fmt::format("there are no black boxes (*.box) in {}; give the folder of one run, e.g. "
                    "results/latest/runs/NAME",
                    folder.string()));
  }
  for (record::Snapshot& snapshot : snapshots) {
    if (snapshot.world_size == 0) snapshot.world_size = static_cast<int>(snapshots.size());
  }
  std::sort(snapshots.begin(), snapshots.end(),
            [](const auto& one, const auto& other) { return one.rank < other.rank; });
  add_ends(folder, snapshots);
  return snapshots;
}

}  // namespace gridlock::session
