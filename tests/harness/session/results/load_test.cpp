// Results that anybody may have written.
#include "harness/session/results/load.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/base/error.h"
#include "harness/session/results/exports.h"

namespace gridlock::session {
namespace {

namespace fs = std::filesystem;

class LoadTest : public testing::Test {
 protected:
  LoadTest() {
    std::string name = (fs::temp_directory_path() / "gridlock-load-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~LoadTest() override { fs::remove_all(folder_); }

  fs::path write(const std::string& text) {
    std::ofstream(folder_ / "results.json") << text;
    return folder_;
  }
  static std::string with_run(const std::string& fields) {
    return R"({"schema": "gridlock.results/1", "context": {}, "runs": [{)" + fields + "}]}";
  }

  fs::path folder_;
};

std::string sentence_of(const fs::path& path) {
  try {
    load_results(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST_F(LoadTest, AHugeFileIsRefusedWithoutBeingRead) {
  write("{");
  fs::resize_file(folder_ / "results.json", std::uintmax_t{1} << 30U);  // sparse
  EXPECT_NE(sentence_of(folder_).find("larger than 256 MiB"), std::string::npos);
}

TEST_F(LoadTest, DamagedForeignAndEmptyFilesAreRefused) {
  for (const char* text :
       {"", "{", "[]", "{}", "\x7f\x45LF", "{\"schema\": 7}", R"({"schema": "gridlock.results/9"})",
        R"({"schema": "gridlock.results/1"})"}) {
    EXPECT_FALSE(sentence_of(write(text)).empty()) << text;
  }
  fs::remove(folder_ / "results.json");
  EXPECT_FALSE(sentence_of(folder_).empty());
  fs::create_directory(folder_ / "results.json");
  EXPECT_FALSE(sentence_of(folder_).empty());
}

TEST_F(LoadTest, ANameDoesNotLeadOutOfTheFolder) {
  EXPECT_NE(sentence_of(write(with_run(R"("kept": "../../etc")"))).find("outside"),
            std::string::npos);
  EXPECT_FALSE(sentence_of(write(with_run(R"("kept": "..")"))).empty());
  EXPECT_TRUE(sentence_of(write(with_run(R"("kept": "a.b.n4.0")"))).empty());
}

TEST_F(LoadTest, NamesAreSafeOnATerminal) {
  const auto results =
      load_results(write(with_run(R"("scenario": "a\u001b[2J\u202eb", "variant": "\u0085")")));
  EXPECT_EQ(results.runs.front().scenario, "a?[2J?b");
  EXPECT_EQ(results.runs.front().variant, "?");
}

TEST_F(LoadTest, FlightRecordsGoIntoAFolderOfTheirOwn) {
  std::ofstream(folder_ / "thesis.tex") << "x";
  Exports wanted;
  wanted.flight_records = folder_;
  EXPECT_THROW(check_writable(wanted), UsageError);
  fs::rename(folder_ / "thesis.tex", folder_ / "nccl_trace_rank_3");
  EXPECT_NO_THROW(check_writable(wanted));
}

}  // namespace
}  // namespace gridlock::session
