// Folders, locks, and files that are always complete.
#include "harness/session/results/results_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/processes/output.h"

namespace gridlock::session {
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

TEST_F(ResultsFolderTest, WhatAnEarlierSessionKeptIsRemoved) {
  const fs::path kept = ResultsFolder(base_, "sim").run_folder("skips_one");
  for (const char* name : {"output.txt", "ends.json", "rank0.box", "rank12.box", "ends.json.new"}) {
    write_file(kept / name, "x");
  }
  fs::create_directory(base_ / "runs" / "killed_before_it_was_kept");
  EXPECT_NO_THROW(ResultsFolder(base_, "sim", Earlier::keep));
  EXPECT_TRUE(fs::exists(kept / "rank0.box"));
  EXPECT_NO_THROW(ResultsFolder(base_, "sim"));
  EXPECT_TRUE(fs::is_empty(base_));
}

TEST_F(ResultsFolderTest, RunsThatAreSomebodyElsesAreRefusedAndStay) {
  const fs::path out = base_ / "out";
  for (const char* foreign :
       {"loss.txt", "train/events.out", "train/rank.box", "train/rank0.box/weights"}) {
    const fs::path file = out / "runs" / foreign;
    fs::create_directories(file.parent_path());
    write_file(file, "x");
    EXPECT_THROW(ResultsFolder(out, "sim"), UsageError) << foreign;
    EXPECT_TRUE(fs::exists(file)) << foreign;
    EXPECT_FALSE(fs::exists(out / ".lock"));
    fs::remove_all(out);
  }
}

TEST_F(ResultsFolderTest, LinksAmongTheRunsAreSomebodyElses) {
  fs::create_directories(base_ / "runs");
  fs::create_directory(base_ / "elsewhere");
  fs::create_directory_symlink(base_ / "elsewhere", base_ / "runs" / "skips_one");
  EXPECT_THROW(ResultsFolder(base_, "sim"), UsageError);
  fs::remove_all(base_ / "runs");
  fs::create_directory_symlink(base_ / "elsewhere", base_ / "runs");
  EXPECT_THROW(ResultsFolder(base_, "sim"), UsageError);
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

// A folder of the new file's name stands in for a full disk.
TEST_F(ResultsFolderTest, AFailedWriteClaimsNoOldContentWhereThereWasNone) {
  const auto sentence_of = [&](const fs::path& file) -> std::string {
    try {
      write_file(file, "new");
    } catch (const MachineError& error) {
      return error.what();
    }
    return "it was written";
  };
  const fs::path file = base_ / "trace.json";
  gridlock::check_writable(file);
  fs::create_directories(base_ / "trace.json.new");
  EXPECT_EQ(sentence_of(file), "cannot write " + file.string() + ": Is a directory");
  std::ofstream(file) << "old";
  EXPECT_NE(sentence_of(file).find("its old content is still there"), std::string::npos);
  EXPECT_EQ(read_file(file), "old");
}

TEST_F(ResultsFolderTest, AFileThatIsCheckedKeepsWhatItHolds) {
  const fs::path file = base_ / "baseline.json";
  gridlock::check_writable(file);
  EXPECT_FALSE(fs::exists(file)) << "an empty file would pass for a result";
  write_file(file, "good");
  gridlock::check_writable(file);
  EXPECT_EQ(read_file(file), "good");
  EXPECT_THROW(gridlock::check_writable(base_), MachineError);
  EXPECT_THROW(gridlock::check_writable(base_ / "nowhere" / "a.json"), MachineError);
  EXPECT_EQ(std::distance(fs::directory_iterator(base_), {}), 1);
}

TEST_F(ResultsFolderTest, WritingFollowsLinks) {
  write_file(base_ / "there", "old");
  fs::create_symlink("there", base_ / "link");
  fs::create_symlink("not_yet", base_ / "dangling");
  gridlock::check_writable(base_ / "dangling");
  for (const char* link : {"link", "dangling"}) {
    write_file(base_ / link, "new");
    EXPECT_TRUE(fs::is_symlink(base_ / link));
  }
  EXPECT_EQ(read_file(base_ / "there"), "new");
  EXPECT_EQ(read_file(base_ / "not_yet"), "new");
}

TEST_F(ResultsFolderTest, WhatIsNoFileIsWrittenIntoAndStaysWhatItIs) {
  const fs::path fifo = base_ / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  fs::create_symlink("fifo", base_ / "link");
  EXPECT_THROW(write_file(fifo, "nobody reads"), MachineError);
  const FileDescriptor reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  gridlock::check_writable(base_ / "link");
  write_file(base_ / "link", "text");
  std::string text;
  processes::drain(reader.get(), text);
  EXPECT_EQ(text, "text");
  EXPECT_TRUE(fs::is_fifo(fifo));
  EXPECT_TRUE(fs::is_symlink(base_ / "link"));
}

// As with --json /dev/stdout, even when a shell has redirected that to a file.
TEST_F(ResultsFolderTest, AnOpenFileIsWrittenOnFromWhereItStands) {
  const fs::path file = base_ / "file";
  const FileDescriptor descriptor(open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  ASSERT_EQ(write(descriptor.get(), "before ", 7), 7);
  fs::create_symlink("/proc/self/fd/" + std::to_string(descriptor.get()), base_ / "stdout");
  gridlock::check_writable(base_ / "stdout");
  write_file(base_ / "stdout", "results");
  ASSERT_EQ(write(descriptor.get(), " behind", 7), 7);
  EXPECT_EQ(read_file(file), "before results behind");
}

TEST_F(ResultsFolderTest, ReadingWhatIsNotThereIsWrongUsage) {
  EXPECT_THROW(read_file(base_ / "nothing"), UsageError);
  EXPECT_THROW(read_file(base_), UsageError);
}

}  // namespace
}  // namespace gridlock::session
