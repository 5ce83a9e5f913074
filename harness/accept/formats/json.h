// acceptance.json, schema gridlock.acceptance/1: for tools, and for --resume.
#pragma once

#include <string>

#include "harness/accept/result.h"

namespace gridlock::accept {

std::string to_json(const Acceptance& acceptance);

// The results of an interrupted or an ended run.
//   file     for messages
//   Errors   UsageError saying what is wrong with it
Acceptance acceptance_from_json(const std::string& text, const std::string& file);

}  // namespace gridlock::accept
