// gridlock versions, on versions that are our own NCCL under other names: none needs to be built.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

namespace fs = std::filesystem;

class Versions : public testing::Test {
 protected:
  Versions() {
    make_installation(home(), {{"uneven_batches",
                                "exec " GRIDLOCK_BUILD "/scenarios/sim/uneven_batches \"$@\""}});
    fs::create_directories(home() / "nvml");
    std::ofstream(home() / "nvml" / "libnvidia-ml.so.1") << "nobody loads it";
  }

  fs::path home() const { return folder_.path() / "home"; }

  // Returns the folder of a complete build without its library.
  fs::path put(const std::string& version) const {
    fs::path folder = home() / "nccl" / version;
    fs::create_directories(folder);
    std::ofstream(folder / "build.json") << R"({"version": ")" << version << R"("})";
    return folder;
  }
  void put_own(const std::string& version) const {
    fs::create_symlink(GRIDLOCK_BUILD "/libnccl.so.2", put(version) / "libnccl.so.2");
  }
  // A library that no program can load.
  void put_damaged(const std::string& version) const {
    std::ofstream(put(version) / "libnccl.so.2") << "no library";
  }

  Done run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "versions");
    return gridlock(arguments, folder_, {{"GRIDLOCK_HOME", home().string()}});
  }

  Folder folder_;
};

TEST_F(Versions, EveryVersionKeepsASessionOldestFirst) {
  put_own("2.21.5");
  put_own("2.19.4");
  const Done done =
      run({"uneven_batches/p*", "--nccl", "2.21.5,2.19.4", "--all", "--output", "out"});
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("NCCL 2.21.5 against NCCL 2.19.4"), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("deadlock (rank_exited), "), std::string::npos) << done.output;
  for (const char* version : {"2.19.4", "2.21.5"}) {
    const auto results = read_json(folder_.path() / "out" / version / "results.json");
    EXPECT_EQ(results.at("context").at("nccl"), version);
    EXPECT_EQ(results.at("context").at("nccl_origin"), "source");
  }
  const auto matrix = read_json(folder_.path() / "out" / "versions.json");
  EXPECT_EQ(matrix.at("sessions").at(0), "NCCL 2.19.4");
  EXPECT_TRUE(fs::exists(folder_.path() / "out" / "versions.md"));
  EXPECT_TRUE(fs::exists(folder_.path() / "out" / "versions.html"));
}

TEST_F(Versions, ANewerOneThatIsWorseGivesOne) {
  put_own("2.19.4");
  put_damaged("2.21.5");
  const Done done = run({"uneven_batches/drop_last", "--output", "out"});
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.output.find("WORSE"), std::string::npos) << done.output;
}

TEST_F(Versions, AnOlderOneThatIsWorseGivesZero) {
  put_damaged("2.19.4");
  put_own("2.21.5");
  const Done done = run({"uneven_batches/drop_last", "--output", "out"});
  EXPECT_EQ(done.code, 0) << done.output;
}

TEST_F(Versions, OneVersionIsRefused) {
  put_own("2.19.4");
  const Done done = run({"uneven_batches"});
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find("there is only 2.19.4"), std::string::npos) << done.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
