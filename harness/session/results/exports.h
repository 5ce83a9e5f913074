// Results in other tools' formats: files that a command line asks for.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::session {

// An empty path means that the format is not wanted.
struct Exports {
  std::filesystem::path trace;           // trace events (Perfetto)
  std::filesystem::path flight_records;  // a folder for PyTorch's flight-recorder dumps
  std::filesystem::path benchmark;       // Google Benchmark's JSON
  std::filesystem::path prometheus;      // Prometheus' text format
  std::filesystem::path sarif;           // SARIF

  bool any() const {
    return need_boxes() || !benchmark.empty() || !prometheus.empty() || !sarif.empty();
  }
  // Whether they need to know what the ranks did.
  bool need_boxes() const { return !trace.empty() || !flight_records.empty(); }
};

// Checks that all of them can be written, before anything runs.
//   Errors   UsageError if one cannot, or if the folder for flight records holds other files
void check_writable(const Exports& wanted);

// Calls `write`. If it throws, says why and returns false, so that one file that cannot be written
// loses neither a verdict nor another file.
bool written(const std::function<void()>& write);

// A file that may be wanted, and what makes its text.
struct WantedFile {
  std::filesystem::path path;  // empty: not wanted
  std::function<std::string()> text;
};
// The same for each wanted file. Returns whether it has written all.
bool write_all(const std::vector<WantedFile>& files);

// Writes the wanted files, and says which it cannot write, for example on a full disk or if boxes
// are damaged. Returns whether it has written all.
//   folders   by run: the results folder with its boxes
bool write_exports(const Exports& wanted, const report::Results& results,
                   const std::vector<std::filesystem::path>& folders);
// The same if all results are from one folder.
bool write_exports(const Exports& wanted, const report::Results& results,
                   const std::filesystem::path& folder);

}  // namespace gridlock::session
