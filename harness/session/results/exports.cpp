// Reads the boxes from the results folder, one run after the other.
#include "harness/session/results/exports.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/report/exports/benchmark.h"
#include "harness/report/exports/flight_records.h"
#include "harness/report/exports/prometheus.h"
#include "harness/report/exports/sarif.h"
#include "harness/report/exports/trace.h"
#include "harness/run/look/kernel/programs/symbols.h"
#include "harness/session/results/keep.h"
#include "harness/session/results/writer.h"

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;

// PyTorch's own prefix, from which its fr_trace takes the rank.
constexpr std::string_view kRecord = "nccl_trace_rank_";

// Whether write_flight_records() writes files of this name.
bool is_record(std::string name) {
  if (name.ends_with(".new")) name.resize(name.size() - 4);
  const bool is_json = name.starts_with("rank") && name.ends_with(".json");
  const std::string_view middle = is_json ? std::string_view(name).substr(4, name.size() - 9)
                                  : name.starts_with(kRecord)
                                      ? std::string_view(name).substr(kRecord.size())
                                      : std::string_view();
  return !middle.empty() && middle.find_first_not_of("0123456789") == std::string_view::npos;
}

void refuse_foreign(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(folder, error))) return;
  if (!fs::is_directory(folder, error)) {
    throw UsageError(
        fmt::format("--flight-records writes a file for each rank into a folder, and "
                    "{} is none; give another name",
                    folder.string()));
  }
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    const bool is_ours = entry.is_directory() || is_record(entry.path().filename().string());
    if (is_ours) continue;
    throw UsageError(
        fmt::format("{} is no flight record, and PyTorch's analyzer would stumble over it; give "
                    "--flight-records a folder of its own",
                    entry.path().string()));
  }
  if (error) throw UsageError(fmt::format("{}: {}", folder.string(), error.message()));
}

std::string caller_of(run::Symbols& symbols, const record::Snapshot& snapshot,
                      const record::Operation& operation) {
  std::vector<detect::CodeLocation> callers;
  for (const std::uint64_t address : operation.callers) {
    if (address == 0) break;
    const auto module = std::find_if(
        snapshot.modules.begin(), snapshot.modules.end(),
        [&](const record::Module& each) { return address >= each.begin && address < each.end; });
    if (module == snapshot.modules.end()) continue;
    callers.push_back({.module = module->path, .offset = address - module->bias});
  }
  return symbols.name(callers);
}

void write_flight_records(const fs::path& folder, const report::Results& results,
                          const report::BoxesOf& boxes, const report::CallerOf& caller) {
  refuse_foreign(folder);
  const auto kept = std::count_if(results.runs.begin(), results.runs.end(),
                                  [](const report::Run& run) { return !run.kept.empty(); });
  for (std::size_t i = 0; i < results.runs.size(); ++i) {
    const report::Kept run{.run = &results.runs[i], .snapshots = boxes(i)};
    if (run.snapshots.empty()) continue;
    // Analyzers treat all files in a folder as one job, so several runs get a folder each.
    const fs::path into = kept > 1 ? folder / run.run->kept : folder;
    std::error_code error;
    fs::create_directories(into, error);
    if (error) {
      throw MachineError(fmt::format("cannot make {}: {}", into.string(), error.message()));
    }
    for (const report::FlightRecord& record : report::flight_records(run, caller)) {
      write_file(into / fmt::format("{}{}", kRecord, record.rank), record.pickle);
      write_file(into / fmt::format("rank{}.json", record.rank), record.json);
    }
  }
}

}  // namespace

void check_writable(const Exports& wanted) {
  for (const fs::path& file : {wanted.trace, wanted.benchmark, wanted.prometheus, wanted.sarif}) {
    check_writable(file);
  }
  if (!wanted.flight_records.empty()) refuse_foreign(wanted.flight_records);
}

bool written(const std::function<void()>& write) {
  try {
    write();
    return true;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gridlock: {}\n", error.what());
    return false;
  }
}

bool write_all(const std::vector<WantedFile>& files) {
  bool all = true;
  for (const WantedFile& file : files) {
    if (!file.path.empty()) all &= written([&] { write_file(file.path, file.text()); });
  }
  return all;
}

bool write_exports(const Exports& wanted, const report::Results& results,
                   const std::vector<fs::path>& folders) {
  run::Symbols symbols;
  const report::CallerOf caller = [&](const record::Snapshot& snapshot,
                                      const record::Operation& operation) {
    return caller_of(symbols, snapshot, operation);
  };
  const report::BoxesOf boxes = [&](std::size_t run) {
    const std::string& kept = results.runs[run].kept;
    // The boxes may have been removed. The other runs are still exported.
    std::error_code error;
    const fs::path folder = folders[run] / "runs" / kept;
    if (kept.empty() || !fs::is_directory(folder, error)) return std::vector<record::Snapshot>();
    return load(folder);
  };
  bool all = write_all({
      {wanted.trace, [&] { return report::to_trace(results, boxes, caller); }},
      {wanted.benchmark, [&] { return report::to_benchmark(results); }},
      {wanted.prometheus, [&] { return report::to_prometheus(results); }},
      {wanted.sarif,
       [&] {
         std::error_code error;
         return report::to_sarif(results, fs::current_path(error).string());
       }},
  });
  if (!wanted.flight_records.empty()) {
    all &= written([&] { write_flight_records(wanted.flight_records, results, boxes, caller); });
  }
  return all;
}

bool write_exports(const Exports& wanted, const report::Results& results, const fs::path& folder) {
  return write_exports(wanted, results, std::vector<fs::path>(results.runs.size(), folder));
}

}  // namespace gridlock::session
