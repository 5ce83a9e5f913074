// acceptance.json, schema gridlock.acceptance/1: for tools, and for --resume.
#pragma once

#include <string>

#include "harness/accept/result.h"

namespace gridlock::accept {

std::string to_json(const Acceptance& acceptance);

// What an interrupted run left. The context is not read back but for its date.
//   file     for messages
//   Errors   UsageError saying what is wrong with it
Acceptance acceptance_from_json(const std::string& text, const std::string& file);

}  // namespace gridlock::accept
