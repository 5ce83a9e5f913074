// Figures of a machine that was found good. Other machines are compared with them. Schema
// gridlock.baseline/1.
#pragma once

#include <map>
#include <string>

#include "harness/report/figures/statistics.h"
#include "harness/report/results.h"

namespace gridlock::accept {

struct Baseline {
  std::string date;
  std::string host;
  std::string backend;
  std::string gpu;
  std::string nccl;
  std::string commit;
  std::map<std::string, report::Spread> figures;  // by check id: bus bandwidth, bytes per second
};

// The machine's part of a baseline, without figures.
Baseline begin_baseline(const report::Context& context);

std::string to_json(const Baseline& baseline);

// `file`: for messages.
//   Errors   UsageError saying what is wrong with it
Baseline baseline_from_json(const std::string& text, const std::string& file);

}  // namespace gridlock::accept
