// Results in the formats of others: files that a command line asks for.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::session {

// Empty: not wanted.
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

// Makes sure that all can be written, before anything runs.
//   Errors   UsageError when one cannot, or the folder for flight records holds other files
void check_writable(const Exports& wanted);

// Writes what is wanted.
//   folders   by run, the results folder that its boxes were kept in
//   Errors    MachineError on a full disk; UsageError when the boxes are damaged
void write_exports(const Exports& wanted, const report::Results& results,
                   const std::vector<std::filesystem::path>& folders);
// The same for results of one folder.
void write_exports(const Exports& wanted, const report::Results& results,
                   const std::filesystem::path& folder);

}  // namespace gridlock::session
