// One HTML file that shows a session or teaches from it. All data, style and script are in the
// file. It loads nothing from elsewhere.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/report/figures/groups.h"
#include "harness/report/page/sheet.h"
#include "harness/report/page/sources.h"
#include "harness/report/results.h"

namespace gridlock::report {

// Names from a program or a file may hold anything. No part of them becomes markup.
struct Page {
  Results results;  // for a soak or an acceptance: the context, and no runs
  std::vector<ScenarioText> scenarios;
  // By page_id(): the timeline, which timeline_fault() has accepted, and the ranks' output.
  std::map<std::string, std::string> timelines;
  std::map<std::string, std::string> outputs;
  std::optional<Sheet> answer;       // of an acceptance or a soak
  std::vector<std::string> missing;  // sentences that say what cannot be shown, and why
};

// Every page begins with this mark. A file without it is not ours and is not overwritten.
constexpr std::string_view kPageMark = "gridlock.page/1";

// The part after the # in the address of a variant's page: "uneven_batches/join", or
// "uneven_batches/join@8" if the session ran it with several numbers of ranks.
std::string page_id(const std::string& name, int ranks, bool with_ranks);

// Each group with its id. They point into `groups`.
std::vector<std::pair<std::string, const Group*>> pages_of(const std::vector<Group>& groups);

// The run of a group that the page shows in full: the first that is not as declared, otherwise the
// first.
const Run& told_of(const std::vector<const Run*>& runs);

std::string to_html(const Page& page);
// All scenarios in chapters, each with a question before its answer.
std::string to_book(const Page& page);

// `json`, escaped so that no markup in it can end a script element.
std::string inside_script(std::string_view json);

}  // namespace gridlock::report
