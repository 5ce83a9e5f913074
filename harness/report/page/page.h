// One file of HTML that shows a session, or teaches from it: all data, style and script are in it,
// and it loads nothing from anywhere.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/report/figures/groups.h"
#include "harness/report/page/sources.h"
#include "harness/report/results.h"

namespace gridlock::report {

// Names that a program or a file chose may hold anything; nothing of them becomes markup.
struct Page {
  Results results;  // of a soak or an acceptance: the context, and no runs
  std::vector<ScenarioText> scenarios;
  // By page_id(): the timeline (timeline_fault() has found nothing), and what the ranks printed.
  std::map<std::string, std::string> timelines;
  std::map<std::string, std::string> outputs;
  std::string answer;                // text of an acceptance or a soak; "": there is none
  std::vector<std::string> missing;  // sentences: what of the session cannot be shown, and why
};

// Stands at the head of every page, so that no file of somebody else's is overwritten.
constexpr std::string_view kPageMark = "gridlock.page/1";

// What stands behind the # of a variant's own page: "uneven_batches/join", "uneven_batches/join@8"
// where the session ran it with several numbers of ranks.
std::string page_id(const std::string& name, int ranks, bool with_ranks);

// Each group with its id. They point into `groups`.
std::vector<std::pair<std::string, const Group*>> pages_of(const std::vector<Group>& groups);

// Of a group of runs, the one that the page tells in full: the first that is not as declared, else
// the first.
const Run& told_of(const std::vector<const Run*>& runs);

std::string to_html(const Page& page);
// All scenarios in chapters, each with a question before its answer.
std::string to_book(const Page& page);

// `json` as it can stand in a script element: no markup ends that.
std::string inside_script(std::string json);

}  // namespace gridlock::report
