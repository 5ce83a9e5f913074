// The observer check in words and numbers.
#include "harness/report/formats/observer.h"

#include <gtest/gtest.h>

#include "harness/report/formats/json.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

Run checked(const char* recorded, const char* unrecorded, bool agrees) {
  Run run = hang();
  run.observer = Observer{.recorded = recorded, .unrecorded = unrecorded, .agrees = agrees};
  return run;
}

TEST(Observer, NothingIsSaidWhereNothingWasChecked) { EXPECT_EQ(observer_text({hang()}), ""); }

TEST(Observer, NamesWhatDiffers) {
  EXPECT_EQ(observer_text({checked("silent", "silent", true), checked("fails", "silent", true),
                           checked("silent", "completes", false), hang()}),
            "uneven_batches/peers_leave (4 ranks): silent with the recorder, completes without\n"
            "observer check: 1 runs end alike with and without the recorder, 1 in another accepted "
            "way, 1 differ\n");
}

TEST(Observer, IsCountedAndKept) {
  Results results;
  results.runs = {checked("silent", "completes", false), checked("silent", "silent", true), hang()};
  EXPECT_EQ(summarise(results.runs).observer_differs, 1);
  const Results read = from_json(to_json(results));
  ASSERT_TRUE(read.runs[0].observer);
  EXPECT_EQ(read.runs[0].observer->unrecorded, "completes");
  EXPECT_FALSE(read.runs[0].observer->agrees);
  EXPECT_TRUE(read.runs[1].observer->agrees);
  EXPECT_FALSE(read.runs[2].observer);
}

}  // namespace
}  // namespace gridlock::report
