// Every format against its approved text in tests/approved/report. scripts/approve.sh accepts a
// change.
#include "tests/harness/approved.h"

#include <gtest/gtest.h>

#include "harness/report/compare/formats.h"
#include "harness/report/exports/benchmark.h"
#include "harness/report/exports/flight_records.h"
#include "harness/report/exports/prometheus.h"
#include "harness/report/exports/sarif.h"
#include "harness/report/exports/trace.h"
#include "harness/report/formats/json.h"
#include "harness/report/formats/junit.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/table.h"
#include "harness/report/page/page_data.h"
#include "tests/harness/report/compare/sessions.h"
#include "tests/harness/report/exports/kept_run.h"
#include "tests/harness/report/page/recorded.h"

namespace gridlock::report {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(GRIDLOCK_SOURCE) / "tests/approved/report";

std::vector<FlightRecord> flight_records_of() {
  const Results results = kept_session();
  return flight_records({.run = &results.runs.front(), .snapshots = boxes_of(0)}, no_caller);
}

// The page's data. Style and script, which stand beside it in the page, are no format.
std::string page_json() {
  Page page;
  page.results = session();
  const Group first = groups_of(page.results.runs).front();
  page.timelines[first.name] = timeline_with(last_rank_short(), last_to_blame());
  page.outputs[first.name] = "[rank 3] bye\n";
  nlohmann::ordered_json data = page_data(page, false);
  // Graphviz draws them, not every version alike.
  for (nlohmann::ordered_json& variant : data["variants"]) {
    if (variant.contains("graph") && variant["graph"].is_object()) variant["graph"].erase("svg");
  }
  return data.dump(1) + "\n";
}

const std::vector<Approved>& formats() {
  static const std::vector<Approved> all{
      {"trace.json", [] { return to_trace(kept_session(), boxes_of, no_caller); }},
      {"flight_record.0.json", [] { return flight_records_of().at(0).json; }},
      {"flight_record.1.json", [] { return flight_records_of().at(1).json; }},
      {"nccl_trace_rank_0", [] { return flight_records_of().at(0).pickle; }},
      {"nccl_trace_rank_1", [] { return flight_records_of().at(1).pickle; }},
      {"benchmark.json", [] { return to_benchmark(session()); }},
      {"prometheus.prom", [] { return to_prometheus(session()); }},
      {"sarif.json", [] { return to_sarif(session(), "/src"); }},
      {"results.json", [] { return to_json(session()); }},
      {"junit.xml", [] { return to_junit(session()); }},
      {"report.md", [] { return to_markdown(session()); }},
      {"table.txt", [] { return table(session()); }},
      {"page.json", page_json},
      {"timeline.json", [] { return timeline_with(last_rank_short(), last_to_blame()) + "\n"; }},
      {"compare.txt", [] { return to_text(worse_comparison()); }},
      {"compare.md", [] { return to_markdown(worse_comparison()); }},
      {"compare.json", [] { return to_json(worse_comparison()); }},
      {"compare.html", [] { return to_html(worse_comparison()); }},
      {"matrix.txt", [] { return to_text(matrix_comparison()); }},
      {"matrix.html", [] { return to_html(matrix_comparison()); }},
  };
  return all;
}

class ApprovedOutput : public testing::TestWithParam<Approved> {};

TEST_P(ApprovedOutput, IsAsItWasApproved) { expect_as_approved(kFolder, GetParam()); }

INSTANTIATE_TEST_SUITE_P(Formats, ApprovedOutput, testing::ValuesIn(formats()), name_of);

TEST(ApprovedFiles, AreAllMade) { expect_all_made(kFolder, formats()); }

}  // namespace
}  // namespace gridlock::report
