// A results folder may hold anything: the page says what it cannot show, and overwrites nobody's.
#include "harness/session/results/page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/report/formats/json.h"
#include "harness/report/page/timeline.h"
#include "harness/session/results/results_folder.h"
#include "harness/session/results/timelines.h"

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;

class PageTest : public testing::Test {
 protected:
  PageTest() {
    std::string name = (fs::temp_directory_path() / "gridlock-page-XXXXXX").string();
    base_ = mkdtemp(name.data());
    report::Run run;
    run.scenario = "order";
    run.variant = "swapped";
    run.role = "broken";
    run.ranks = 2;
    run.verdict.outcome = detect::Outcome::deadlock;
    results_.runs.push_back(run);
    fs::create_directory(base_ / kTimelines);
    timeline_ = base_ / kTimelines / "order.swapped.n2.0.json";
  }
  ~PageTest() override { fs::remove_all(base_); }

  // A file of that size that takes no room.
  static void make_huge(const fs::path& file) {
    std::ofstream(file).put(' ');
    fs::resize_file(file, std::uintmax_t{1} << 30U);
  }
  std::string missing() {
    const report::Page page = page_of(base_, results_);
    return page.missing.empty() ? "" : page.missing.front();
  }

  fs::path base_;
  fs::path timeline_;
  report::Results results_;
};

TEST_F(PageTest, ShowsWhatItIsGiven) {
  const detect::Verdict verdict;
  write_file(timeline_, report::timeline_json({.snapshots = {},
                                               .verdict = &verdict,
                                               .names = nullptr,
                                               .picture = nullptr,
                                               .marks = {},
                                               .name_of = {}}));
  const report::Page page = page_of(base_, results_);
  EXPECT_EQ(page.timelines.count("order/swapped"), 1U);
  EXPECT_TRUE(page.missing.empty());
}

TEST_F(PageTest, SaysWhatIsDamagedOrTooLargeOrNoFile) {
  write_file(timeline_, "{\"schema\": \"gridlock.timeline/1\"}");
  EXPECT_NE(missing().find("is not shown"), std::string::npos);
  make_huge(timeline_);
  EXPECT_NE(missing().find("larger than 24 MiB"), std::string::npos);
  fs::remove(timeline_);
  fs::create_symlink("/dev/zero", timeline_);
  EXPECT_NE(missing().find("is no file"), std::string::npos);
  fs::remove(timeline_);
  write_file(base_ / "scenarios.json", "[1, 2]");
  EXPECT_NE(missing().find("Lessons and code"), std::string::npos);
}

TEST_F(PageTest, NamesDoNotLeadOutOfTheFolder) {
  results_.runs[0].scenario = "../../etc";
  results_.runs[0].variant = "";
  EXPECT_EQ(run_name(results_.runs[0]).find('/'), std::string::npos);
  write_file(base_.parent_path() / "etc.json", "{}");
  EXPECT_EQ(missing(), "");
  fs::remove(base_.parent_path() / "etc.json");
}

TEST_F(PageTest, OfSomebodyElseIsNotOverwritten) {
  write_file(base_ / kPage, "<html>my notes</html>");
  EXPECT_EQ(write_page(base_, {}), fs::path());
  EXPECT_EQ(read_file(base_ / kPage), "<html>my notes</html>");
  fs::remove(base_ / kPage);
  EXPECT_EQ(write_page(base_, {}), base_ / kPage);
  EXPECT_EQ(write_page(base_, {}), base_ / kPage) << "our own is written again";
}

TEST_F(PageTest, ThatCannotBeWrittenIsNoError) {
  EXPECT_NO_THROW(EXPECT_EQ(write_page(base_ / "is_not_there", {}), fs::path()));
  EXPECT_NO_THROW(keep_timeline("/proc/is_not_there", "x", "{}"));
}

TEST_F(PageTest, ATimelineThatIsTooLargeIsLeftOutAndSaysSo) {
  const std::string timeline(report::kMostTimelineBytes + 1, ' ');
  testing::internal::CaptureStderr();
  keep_timeline(base_, "order.swapped.n2.0", timeline);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_FALSE(fs::exists(timeline_));
  EXPECT_NE(said.find("no timeline of order.swapped.n2.0: it has 25 MiB"), std::string::npos)
      << said;
}

TEST_F(PageTest, NeedsResults) {
  EXPECT_THROW(load_page(base_ / "nowhere"), UsageError);
  EXPECT_THROW(load_page(base_), UsageError);
  write_file(base_ / "results.json", "");
  EXPECT_THROW(load_page(base_), UsageError);
  write_file(base_ / "results.json", "{\"schema\": \"gridlock.results/9\"}");
  EXPECT_THROW(load_page(base_), UsageError);
  make_huge(base_ / "results.json");
  EXPECT_THROW(load_page(base_), UsageError);
  write_file(base_ / "results.json", report::to_json(results_));
  EXPECT_EQ(load_page(base_).results.runs.size(), 1U);
}

TEST_F(PageTest, AnotherSessionsTimelinesAreRemovedAndNothingElse) {
  write_file(timeline_, "{}");
  { const ResultsFolder folder(base_, "sim"); }
  EXPECT_FALSE(fs::exists(timeline_));
  fs::create_directory(base_ / kTimelines);
  write_file(base_ / kTimelines / "notes.txt", "mine");
  EXPECT_THROW(ResultsFolder(base_, "sim"), UsageError);
  EXPECT_EQ(read_file(base_ / kTimelines / "notes.txt"), "mine");
}

}  // namespace
}  // namespace gridlock::session
