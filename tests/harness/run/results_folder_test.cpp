// Folders, locks, files that are whole.
#include "harness/run/results_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/run/error.h"

namespace gridlock::run {
namespace {

namespace fs = std::filesystem;

class ResultsFolderTest : public testing::Test {
 protected:
  ResultsFolderTest() {
    std::string name = (fs::temp_directory_path() / "gridlock-folder-XXXXXX").string();
    base_ = mkdtemp(name.data());
  }
  ~ResultsFolderTest() override { fs::remove_all(base_); }
  fs::path base_;
};

TEST_F(ResultsFolderTest, TwoDoNotShareOne) {
  {
    const ResultsFolder first(base_ / "out", "sim");
    EXPECT_THROW(ResultsFolder(base_ / "out", "sim"), UsageError);
  }
  EXPECT_NO_THROW(ResultsFolder(base_ / "out", "sim"));
  EXPECT_TRUE(fs::is_empty(base_ / "out"));
}

TEST_F(ResultsFolderTest, AFolderThatCannotBeMadeIsWrongUsage) {
  write_file(base_ / "file", "x");
  EXPECT_THROW(ResultsFolder(base_ / "file" / "out", "sim"), UsageError);
}

TEST_F(ResultsFolderTest, WritingReplacesAsAWhole) {
  const fs::path file = base_ / "a.json";
  write_file(file, "old");
  write_file(file, std::string(100000, 'n'));
  EXPECT_EQ(read_file(file).size(), 100000U);
  EXPECT_THROW(write_file(base_ / "nowhere" / "a.json", "x"), MachineError);
  EXPECT_EQ(std::distance(fs::directory_iterator(base_), {}), 1);
}

TEST_F(ResultsFolderTest, ReadingWhatIsNotThereIsWrongUsage) {
  EXPECT_THROW(read_file(base_ / "nothing"), UsageError);
  EXPECT_THROW(read_file(base_), UsageError);
}

}  // namespace
}  // namespace gridlock::run
