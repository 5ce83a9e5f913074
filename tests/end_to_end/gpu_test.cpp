// The cuda back end from the outside, with scripted scenarios and a scripted driver library: the
// environment of each rank, and what the results say about the machine.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/end_to_end/command.h"
#include "tests/end_to_end/scripted.h"

namespace gridlock::end_to_end {
namespace {

// Prints its rank's environment, and completes.
const std::string kTells =
    R"(echo "rank $RANK: $NCCL_HOSTID $NCCL_NET $NCCL_RAS_ADDR $NCCL_MULTI_RANK_GPU_ENABLE."
)" + kCompletes;

struct Outcome {
  Done done;
  nlohmann::json context;
  std::string output;
};

std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Outcome run(std::map<std::string, std::string> environment,
            const std::vector<std::string>& more = {}) {
  const Folder folder;
  make_installation(folder.path() / "home", {{"tells", scripted({.backend = "cuda"}, kTells)}},
                    "cuda");
  environment["GRIDLOCK_HOME"] = folder.path() / "home";
  environment.emplace("LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML);
  std::vector<std::string> arguments{"run", "--keep", "--output", "out"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  Outcome outcome{.done = gridlock(arguments, folder, environment), .context = {}, .output = {}};
  if (outcome.done.code == 77) return outcome;
  outcome.context = read_json(folder.path() / "out" / "results.json").at("context");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path() / "out")) {
    if (entry.path().extension() == ".log" || entry.path().extension() == ".txt") {
      outcome.output += read_whole(entry.path());
    }
  }
  return outcome;
}

TEST(Gpus, RanksThatShareOneAreToldSo) {
  const Outcome outcome = run({}, {"--backend", "auto"});
  ASSERT_EQ(outcome.done.code, 0) << outcome.done.output;
  EXPECT_EQ(outcome.context.at("backend"), "cuda");
  EXPECT_EQ(outcome.context.at("shared_gpu"), true);
  EXPECT_EQ(outcome.context.at("transport"), "net/socket");
  EXPECT_EQ(outcome.context.at("gpu"), "1 x Scripted H200");
  EXPECT_EQ(outcome.context.at("driver"), "580.82.07");
  EXPECT_EQ(outcome.context.at("cuda"), "13.0");
  EXPECT_EQ(outcome.context.at("nccl"), "2.30.1");
  for (const char* rank : {"0", "1"}) {
    const auto at = outcome.output.find(std::string("rank ") + rank + ": gridlock-");
    ASSERT_NE(at, std::string::npos) << outcome.output;
    const std::string line = outcome.output.substr(at, outcome.output.find('\n', at) - at);
    EXPECT_NE(line.find(" Socket 127.0.0.1:"), std::string::npos) << line;
    EXPECT_TRUE(line.ends_with(" 1.")) << line;
  }
}

TEST(Gpus, WithOneEachNcclIsToldNothing) {
  const Outcome outcome = run({{"TEST_NVML_GPUS", "2"}}, {"--backend", "cuda"});
  ASSERT_EQ(outcome.done.code, 0) << outcome.done.output;
  EXPECT_EQ(outcome.context.at("shared_gpu"), false);
  EXPECT_TRUE(outcome.context.at("transport").is_null());
  EXPECT_NE(outcome.output.find("rank 1:    ."), std::string::npos) << outcome.output;
}

TEST(Gpus, TheUsersVariablesWinAndAreRecorded) {
  const Outcome outcome = run({{"NCCL_NET", "IB"}}, {"--backend", "cuda"});
  ASSERT_EQ(outcome.done.code, 0) << outcome.done.output;
  EXPECT_EQ(outcome.context.at("environment"), nlohmann::json::array({"NCCL_NET=IB"}));
  EXPECT_TRUE(outcome.context.at("transport").is_null());
  EXPECT_NE(outcome.output.find(" IB 127.0.0.1:"), std::string::npos) << outcome.output;
}

TEST(Gpus, WithoutOneNothingRuns) {
  const Outcome hidden = run({{"CUDA_VISIBLE_DEVICES", ""}}, {"--backend", "cuda"});
  EXPECT_EQ(hidden.done.code, 77) << hidden.done.output;
  EXPECT_NE(hidden.done.output.find("CUDA_VISIBLE_DEVICES= names none"), std::string::npos)
      << hidden.done.output;
  const Outcome failing = run({{"TEST_NVML_FAIL", "init"}}, {"--backend", "cuda"});
  EXPECT_EQ(failing.done.code, 77) << failing.done.output;
  EXPECT_NE(failing.done.output.find("does not start"), std::string::npos) << failing.done.output;
}

// The ranks hang on two GPUs. The stand-in reports that the process on the first GPU is busy.
TEST(Gpus, HowBusyTheyAreIsRecordedWhileAJobHangs) {
  const Folder folder;
  const std::string script = scripted({.outcome = "stall", .backend = "cuda"}, "exec sleep 1000");
  make_installation(folder.path() / "home", {{"hangs", script}}, "cuda");
  const auto run = [&](const char* hang) {
    gridlock({"run", "--utilisation", "--backend", "cuda", "--stall-limit", "600ms", "--run-limit",
              "4s", "--output", "out"},
             folder,
             {{"GRIDLOCK_HOME", folder.path() / "home"},
              {"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML},
              {"TEST_NVML_GPUS", "2"},
              {"TEST_NVML_BUSY", "100,0"},
              {"TEST_NVML_HANG", hang}});
    const auto runs = read_json(folder.path() / "out" / "results.json").at("runs");
    return runs.at(0).at("figures");
  };
  const auto figures = run("");
  EXPECT_EQ(figures.at("gpu_utilisation_percent"), nlohmann::json::array({100.0, 0.0})) << figures;
  EXPECT_EQ(figures.at("gpu_memory_mib"), nlohmann::json::array({100.0, 101.0})) << figures;
  // If the driver hangs, only the figures are missing.
  EXPECT_FALSE(run("load").contains("gpu_utilisation_percent"));
}

// A session with one scripted scenario for the back end. Its ranks run `body`.
Done session(const Folder& folder, const std::string& backend, const std::string& body) {
  make_installation(folder.path() / (backend + "-home"),
                    {{"tells", scripted({.backend = backend}, kTells + "\n" + body)}}, backend);
  return gridlock({"run", "--backend", backend, "--output", backend}, folder,
                  {{"GRIDLOCK_HOME", folder.path() / (backend + "-home")},
                   {"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML}});
}

TEST(Parity, BackEndsThatEndAlikePass) {
  const Folder folder;
  EXPECT_EQ(session(folder, "sim", "").code, 0);
  EXPECT_EQ(session(folder, "cuda", "").code, 0);
  const Done done = gridlock({"compare", "--parity", "sim", "cuda"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("1 alike, 0 differ"), std::string::npos) << done.output;
  EXPECT_EQ(gridlock({"compare", "--parity", "cuda", "sim"}, folder).code, 2);
}

TEST(Parity, AnUndeclaredDifferenceFails) {
  const Folder folder;
  EXPECT_EQ(session(folder, "sim", "").code, 0);
  EXPECT_EQ(session(folder, "cuda", "exit 1").code, 1);
  const Done done = gridlock({"compare", "--parity", "sim", "cuda"}, folder);
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.output.find("NOT DECLARED"), std::string::npos) << done.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
