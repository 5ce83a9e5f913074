// The answers as their pages show them.
#pragma once

#include <string>

#include "harness/accept/result.h"
#include "harness/report/page/sheet.h"
#include "harness/report/results.h"

namespace gridlock::accept {

report::Sheet sheet_of(const Acceptance& acceptance);

// A soak is read from its file, soak.json, also when it has just ended: its points are not kept.
struct SoakSheet {
  report::Context context;
  report::Sheet sheet;
};
//   json     the text of the file
//   file     for messages
//   Errors   UsageError saying what is wrong with it
SoakSheet soak_sheet(const std::string& json, const std::string& file);

}  // namespace gridlock::accept
