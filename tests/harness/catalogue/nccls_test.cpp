#include "harness/catalogue/nccls.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "harness/base/error.h"

namespace gridlock::catalogue {
namespace {

namespace fs = std::filesystem;

class Nccls : public testing::Test {
 protected:
  Nccls() {
    std::string name = (fs::temp_directory_path() / "gridlock-test-XXXXXX").string();
    installation_.root = mkdtemp(name.data());
    fs::create_directories(installation_.nvml());
    std::ofstream(nvml()) << "x";
  }
  ~Nccls() override { fs::remove_all(installation_.root); }

  void put(const std::string& version, const std::string& record, bool library = true) const {
    const fs::path folder = installation_.nccls() / version;
    fs::create_directories(folder);
    std::ofstream(folder / "build.json") << record;
    if (library) std::ofstream(folder / "libnccl.so.2") << "x";
  }

  fs::path nvml() const { return installation_.nvml() / "libnvidia-ml.so.1"; }

  Installation installation_;
};

TEST_F(Nccls, NoneIsNoError) { EXPECT_TRUE(find_nccls(installation_).empty()); }

TEST_F(Nccls, AreInTheOrderOfTheirNumbers) {
  put("2.28.9", R"({"version": "2.28.9", "origin": "/somewhere"})");
  put("2.9.1", R"({"version": "2.9.1"})");
  const std::vector<Nccl> found = find_nccls(installation_);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].version, "2.9.1");
  EXPECT_EQ(found[1].version, "2.28.9");
  EXPECT_EQ(found[1].source, "/somewhere");
}

TEST_F(Nccls, HaveNcclsOwnNumber) {
  EXPECT_EQ(version_number({.version = "2.28.9", .folder = {}, .source = {}}), 22809);
  EXPECT_EQ(version_number({.version = "2.30.7", .folder = {}, .source = {}}), 23007);
}

TEST_F(Nccls, WhatIsNotCompleteIsNone) {
  put("2.28.9", R"({"version": "2.28.9"})", false);
  put("2.27.7", "half a rec");
  put("2.21.5", R"({"version": "2.20.0"})");
  put("2.19.4", "[]");
  put("2.18.3", R"({"version": 3})");
  EXPECT_TRUE(find_nccls(installation_).empty());
}

TEST_F(Nccls, AnUnknownOneNamesThoseThatThereAre) {
  put("2.28.9", R"({"version": "2.28.9"})");
  try {
    find_nccl(installation_, "2.99.0");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("there is no NCCL 2.99.0; there are 2.28.9"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Nccls, SeveralAreFoundOldestFirstAndEachOnce) {
  put("2.28.9", R"({"version": "2.28.9"})");
  put("2.19.4", R"({"version": "2.19.4"})");
  put("2.21.5", R"({"version": "2.21.5"})");
  const std::vector<Nccl> found = find_nccls(installation_, {"2.28.9", "2.19.4", "2.28.9"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].version, "2.19.4");
  EXPECT_EQ(found[1].version, "2.28.9");
  EXPECT_EQ(find_nccls(installation_, {}).size(), 3U);
}

TEST_F(Nccls, ThoseThatAreNotBuiltAreNamedWithWhatBuildsThem) {
  put("2.28.9", R"({"version": "2.28.9"})");
  const auto sentence = [&](const std::vector<std::string>& versions) -> std::string {
    try {
      find_nccls(installation_, versions);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(sentence({"2.28.9", "2.19.4"}),
            "NCCL 2.19.4 is not built; `./run_all.sh nccl 2.19.4` builds it");
  EXPECT_EQ(sentence({"2.19.4", "2.28.9", "2.21.5"}),
            "NCCL 2.19.4 and 2.21.5 are not built; `./run_all.sh nccl 2.19.4` builds the first");
}

TEST_F(Nccls, WithoutTheSimulatedNvmlNoneCanRun) {
  put("2.28.9", R"({"version": "2.28.9"})");
  fs::remove(nvml());
  EXPECT_EQ(find_nccls(installation_).size(), 1U) << "it is listed";
  const auto expect_sentence = [&](const auto& find) {
    try {
      find();
      ADD_FAILURE();
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()),
                "NCCL 2.28.9 needs the simulated NVML, and there is no " + nvml().string() +
                    "; `./run_all.sh nccl 2.28.9` builds it");
    }
  };
  expect_sentence([&] { find_nccl(installation_, "2.28.9"); });
  expect_sentence([&] { find_nccls(installation_, {"2.28.9"}); });
}

TEST_F(Nccls, ItsLibrariesComeBeforeAllOthers) {
  put("2.28.9", R"({"version": "2.28.9"})");
  setenv("LD_LIBRARY_PATH", "/elsewhere", 1);
  setenv("NCCL_SOCKET_IFNAME", "eth0", 1);
  const std::vector<std::string> environment =
      environment_of(find_nccl(installation_, "2.28.9"), installation_);
  unsetenv("LD_LIBRARY_PATH");
  unsetenv("NCCL_SOCKET_IFNAME");
  EXPECT_EQ(environment.front(), "LD_LIBRARY_PATH=" + (installation_.nccls() / "2.28.9").string() +
                                     ":" + installation_.nvml().string() + ":/elsewhere");
  for (const std::string& setting : environment) {
    EXPECT_FALSE(setting.starts_with("NCCL_SOCKET_IFNAME")) << "the user's own stays";
  }
}

class NcclsTopology : public Nccls {
 protected:
  NcclsTopology() {
    put("2.28.9", R"({"version": "2.28.9"})");
    fs::create_directories(folder());
    std::ofstream(folder() / "nvswitch.xml") << "<system/>";
  }
  ~NcclsTopology() override {
    unsetenv("GRIDLOCK_SIM_TOPOLOGY");
    unsetenv("NCCL_TOPO_FILE");
  }

  fs::path folder() const { return installation_.nvml() / "topologies"; }
  // The file that NCCL reads with this topology; empty if there is none.
  std::string file(const char* topology) const {
    setenv("GRIDLOCK_SIM_TOPOLOGY", topology, 1);
    const std::string name = "NCCL_TOPO_FILE=";
    for (const std::string& setting :
         environment_of(find_nccl(installation_, "2.28.9"), installation_)) {
      if (setting.starts_with(name)) return setting.substr(name.size());
    }
    return "";
  }
};

TEST_F(NcclsTopology, IsAFileForNccl) {
  EXPECT_EQ(file("nvswitch"), (folder() / "nvswitch.xml").string());
  EXPECT_EQ(file("pcie"), "");
  EXPECT_EQ(file(""), "");
  setenv("NCCL_TOPO_FILE", "/mine.xml", 1);
  EXPECT_EQ(file("nvswitch"), "") << "the user's own stays";
}

TEST_F(NcclsTopology, AnUnknownOneNamesThoseThatThereAre) {
  try {
    file("ring");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "GRIDLOCK_SIM_TOPOLOGY=ring is no topology; there are nvswitch, pcie");
  }
}

}  // namespace
}  // namespace gridlock::catalogue
