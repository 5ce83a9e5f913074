// Every format against its approved text in tests/approved/accept. scripts/approve.sh accepts a
// change.
#include "tests/harness/approved.h"

#include <gtest/gtest.h>

#include "harness/accept/formats/json.h"
#include "harness/accept/formats/sheet.h"
#include "harness/accept/formats/text.h"
#include "harness/accept/soak.h"
#include "tests/harness/accept/formats/sample.h"

namespace gridlock::accept {
namespace {

const std::filesystem::path kFolder =
    std::filesystem::path(GRIDLOCK_SOURCE) / "tests/approved/accept";

Soaking soaked() {
  Soaking soaking;
  soaking.context = sample().context;
  soaking.seconds = 7200;
  soaking.seed = 7;
  soaking.delays = 3;
  soaking.delayed_s = 1.5;
  for (int i = 0; i < 8; ++i) {
    report::Run run = good_run(i);
    run.step_time_us = 100 + i % 3;
    soaking.tally.add(run, i * 600, 600);
  }
  soaking.tally.add(bad_run(detect::Outcome::stall), 4800, 600);
  return soaking;
}

std::string sheet_text(const report::Sheet& sheet) { return report::to_json(sheet).dump(1) + "\n"; }

const std::vector<Approved>& formats() {
  static const std::vector<Approved> all{
      {"acceptance.json", [] { return to_json(sample()); }},
      {"acceptance.md", [] { return to_markdown(sample()); }},
      {"acceptance.txt", [] { return to_text(sample()); }},
      {"acceptance.junit.xml", [] { return to_junit(sample()); }},
      {"acceptance.prom", [] { return to_prometheus(sample()); }},
      {"acceptance.sheet.json", [] { return sheet_text(sheet_of(sample())); }},
      {"soak.json", [] { return to_json(soaked()); }},
      {"soak.md", [] { return to_markdown(soaked()); }},
      {"soak.txt", [] { return to_text(soaked()); }},
      {"soak.sheet.json",
       [] { return sheet_text(soak_sheet(to_json(soaked()), "soak.json").sheet); }},
  };
  return all;
}

class ApprovedOutput : public testing::TestWithParam<Approved> {};

TEST_P(ApprovedOutput, IsAsItWasApproved) { expect_as_approved(kFolder, GetParam()); }

INSTANTIATE_TEST_SUITE_P(Formats, ApprovedOutput, testing::ValuesIn(formats()), name_of);

TEST(ApprovedFiles, AreAllMade) { expect_all_made(kFolder, formats()); }

}  // namespace
}  // namespace gridlock::accept
