// Every format against its approved text in tests/approved. scripts/approve.sh accepts a change.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

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
#include "tests/harness/report/compare/sessions.h"
#include "tests/harness/report/exports/kept_run.h"

namespace gridlock::report {
namespace {

namespace fs = std::filesystem;

struct Approved {
  const char* file;
  std::function<std::string()> make;
};

std::vector<FlightRecord> flight_records_of() {
  const Results results = kept_session();
  return flight_records({.run = &results.runs.front(), .snapshots = boxes_of(0)}, no_caller);
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
      {"compare.txt", [] { return to_text(worse_comparison()); }},
      {"compare.md", [] { return to_markdown(worse_comparison()); }},
      {"compare.json", [] { return to_json(worse_comparison()); }},
      {"compare.html", [] { return to_html(worse_comparison()); }},
      {"matrix.txt", [] { return to_text(matrix_comparison()); }},
      {"matrix.html", [] { return to_html(matrix_comparison()); }},
  };
  return all;
}

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ApprovedOutput : public testing::TestWithParam<Approved> {};

TEST_P(ApprovedOutput, IsAsItWasApproved) {
  const fs::path file = fs::path(GRIDLOCK_SOURCE) / "tests" / "approved" / GetParam().file;
  const std::string text = GetParam().make();
  if (std::getenv("GRIDLOCK_APPROVE") != nullptr) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  ASSERT_TRUE(fs::exists(file)) << "not approved yet: run scripts/approve.sh, look, commit";
  EXPECT_EQ(text_of(file), text) << "if this is meant, scripts/approve.sh accepts it";
}

INSTANTIATE_TEST_SUITE_P(Formats, ApprovedOutput, testing::ValuesIn(formats()),
                         [](const testing::TestParamInfo<Approved>& each) {
                           std::string name = each.param.file;
                           for (char& letter : name) letter = letter == '.' ? '_' : letter;
                           return name;
                         });

// An approved file that no test makes any more would never be checked again.
TEST(ApprovedFiles, AreAllMade) {
  ASSERT_TRUE(fs::exists(fs::path(GRIDLOCK_SOURCE) / "tests/approved"))
      << "nothing is approved yet: run scripts/approve.sh, look, commit";
  for (const auto& entry : fs::directory_iterator(fs::path(GRIDLOCK_SOURCE) / "tests/approved")) {
    const std::string name = entry.path().filename().string();
    const bool is_made = std::any_of(formats().begin(), formats().end(),
                                     [&](const Approved& each) { return name == each.file; });
    EXPECT_TRUE(is_made) << name;
  }
}

}  // namespace
}  // namespace gridlock::report
