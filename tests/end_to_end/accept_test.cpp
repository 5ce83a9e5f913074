// `gridlock accept` and `gridlock soak` as a person uses them.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

// A profile of the test's own, run into the folder "out".
Done accept(const Folder& folder, const std::string& profile,
            std::vector<std::string> arguments = {},
            const std::map<std::string, std::string>& environment = {}) {
  write(folder.path() / "p.toml", "summary = \"a test\"\nbackend = \"sim\"\nranks = 4\n" + profile);
  arguments.insert(arguments.begin(), {"accept", "p.toml", "--output", "out"});
  return gridlock(arguments, folder, environment);
}

Json results(const Folder& folder) { return read_json(folder.path() / "out" / "acceptance.json"); }

// What rank r of a stand-in for the collective benchmark reports.
std::string reports(const std::string& bandwidth) {
  return "printf '{\"status\":\"completed\",\"reason\":\"\",\"numbers\":\"right\","
         "\"numbers_detail\":\"\",\"figures\":{\"busbw_bytes_per_s\":%s}}' " +
         bandwidth + " >&3";
}

// An installation with real scenarios and a script in the benchmark's place; made anew each time.
std::map<std::string, std::string> with_benchmark(const Folder& folder, const std::string& script) {
  const fs::path home = folder.path() / "home";
  fs::remove_all(home);
  make_installation(home, {});
  fs::remove_all(home / "scenarios");
  fs::create_directory_symlink(fs::path(GRIDLOCK_BUILD) / "scenarios", home / "scenarios");
  fs::create_directories(home / "benchmarks");
  const fs::path file = home / "benchmarks" / "benchmark_collectives_sim";
  write(file, "#!/bin/sh\n" + script + "\n");
  fs::permissions(file, fs::perms::owner_all);
  return {{"GRIDLOCK_HOME", home.string()}};
}

constexpr const char* kHealthy = "[[scenario]]\nrun = \"uneven_batches/drop_last\"\n";
constexpr const char* kPair =
    "[[collective]]\noperation = \"pair\"\nsizes = \"1MiB\"\nrepeat = 2\n";

TEST(Accept, SimQuickPassesInUnderAMinute) {
  const Folder folder;
  const Done done = gridlock({"accept", "sim-quick", "--output", "out"}, folder);
  ASSERT_TRUE(fs::exists(folder.path() / "out" / "acceptance.json")) << done.output;
  const Json json = results(folder);
  EXPECT_EQ(json.at("schema"), "gridlock.acceptance/1");
  EXPECT_EQ(json.at("planned"), json.at("checks").size());
  EXPECT_GT(json.at("checks").size(), 20U);
  EXPECT_LT(json.at("seconds"), 60);
  EXPECT_EQ(json.at("summary").at("fail"), 0) << done.output;
  const bool has_benchmark =
      fs::exists(fs::path(GRIDLOCK_BUILD) / "benchmarks" / "benchmark_collectives_sim");
  EXPECT_EQ(done.code, has_benchmark ? 0 : 4) << done.output;
  for (const char* file : {"acceptance.md", "junit.xml"}) {
    EXPECT_GT(fs::file_size(folder.path() / "out" / file), 100U) << file;
  }
}

TEST(Accept, AScenarioThatDiffersFailsWithWhatItPrinted) {
  // The set-up is broken: a program that should do well, and whose last rank does not.
  const Folder folder;
  make_installation(folder.path() / "home", {{"lessons", R"(if [ "$1" = --describe ]; then
echo '{"schema":"gridlock.scenario/1","name":"lessons","backend":"sim","summary":"","lesson":"",
"claims":[],"ranks":4,"variants":[{"name":"good","role":"control","summary":"","min_ranks":1,
"max_ranks":9,"needs":"","expect":{"outcomes":["completes"],"cause":"none","culprits":[],
"waiting":[]}}]}'
exit 0
fi
if [ $RANK = 3 ]; then echo no memory; exit 7; fi
echo '{"status":"completed","numbers":"unchecked"}' >&3)"}});
  const Done done = accept(folder, "[[scenario]]\nrun = \"lessons/good\"\nrepeat = 2\n", {},
                           {{"GRIDLOCK_HOME", (folder.path() / "home").string()}});
  EXPECT_EQ(done.code, 1) << done.output;
  const Json check = results(folder).at("checks").at(0);
  EXPECT_EQ(check.at("answer"), "fail") << check;
  EXPECT_EQ(check.at("runs"), 2);
  EXPECT_EQ(check.at("culprits").at(0).at("rank"), 3) << check;
  EXPECT_TRUE(fs::exists(folder.path() / "out/runs/lessons.good.n4.0/output.txt"));
}

TEST(Accept, ABandwidthBelowItsFloorNamesTheRank) {
  const Folder folder;
  const Done done = accept(folder, std::string(kPair) + "floor = \"2 GB/s\"\n", {},
                           with_benchmark(folder, "if [ $RANK = 2 ]; then\n" + reports("1.0e9") +
                                                      "\nelse\n" + reports("4.0e9") + "\nfi"));
  EXPECT_EQ(done.code, 1) << done.output;
  const Json check = results(folder).at("checks").at(0);
  EXPECT_EQ(check.at("answer"), "fail");
  EXPECT_EQ(check.at("culprits").size(), 1U);
  EXPECT_EQ(check.at("culprits").at(0).at("rank"), 2);
  EXPECT_NE(done.output.find("to blame: rank 2 on "), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("say nothing of any GPU"), std::string::npos) << done.output;
}

TEST(Accept, AFailureThatIsWaivedOrExpectedDoesNotCount) {
  const std::string profile = std::string(kHealthy) + kPair + "floor = \"2 GB/s\"\n";
  for (const char* excuse : {"[[waiver]]\ncheck = \"pair/*\"\nreason = \"r\"\nuntil = 2999-01-31\n",
                             "[[expected_failure]]\ncheck = \"pair/1MiB\"\nticket = \"OPS-1\"\n"}) {
    const Folder folder;
    const auto home = with_benchmark(folder, reports("1.0e9"));
    EXPECT_EQ(accept(folder, profile, {}, home).code, 1);
    const Done done = accept(folder, profile + excuse, {}, home);
    EXPECT_EQ(done.code, 0) << done.output;
    EXPECT_EQ(results(folder).at("summary").at("excused"), 1);
  }
}

TEST(Accept, AHangInABenchmarkIsDiagnosed) {
  const Folder folder;
  const Done done =
      accept(folder, kPair, {}, with_benchmark(folder, "exec " + program("skips_one")));
  EXPECT_EQ(done.code, 1) << done.output;
  const Json check = results(folder).at("checks").at(0);
  EXPECT_EQ(check.at("answer"), "fail");
  EXPECT_EQ(check.at("culprits").at(0).at("rank"), 3);
  const std::string evidence = check.at("evidence");
  EXPECT_NE(evidence.find("deadlock (rank_exited): rank 3 is to blame"), std::string::npos)
      << evidence;
  // Its black boxes give the verdict again.
  const Done again = gridlock({"diagnose", "out/runs/pair.1MiB.n4.0"}, folder);
  EXPECT_NE(again.output.find("rank 3 is to blame"), std::string::npos) << again.output;
}

TEST(Accept, ABenchmarkThatNeverEndsIsEndedByItsLimit) {
  const Folder folder;
  const Done done = accept(folder, std::string(kPair) + "limit = \"500ms\"\n", {},
                           with_benchmark(folder, "exec sleep 1000"));
  EXPECT_NE(done.code, 0) << done.output;
  EXPECT_EQ(results(folder).at("checks").at(0).at("passed"), 0);
}

TEST(Accept, ScalingOnTheSimulationIsInconclusive) {
  const Folder folder;
  const Done done = accept(folder, "[[scaling]]\nranks = 2\nspeed_up = [1.8, 1.9]\n");
  EXPECT_EQ(done.code, 4) << done.output;
  EXPECT_NE(done.output.find("a speed-up needs a GPU for each rank"), std::string::npos);
}

TEST(Accept, WithoutAGpuANodeIsInconclusive) {
  const Folder folder;
  const Done done = gridlock({"accept", "node", "--output", "out"}, folder,
                             {{"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML}, {"TEST_NVML_GPUS", "0"}});
  EXPECT_EQ(done.code, 4) << done.output;
  EXPECT_EQ(results(folder).at("answer"), "inconclusive");
}

TEST(Accept, ADriverThatDoesNotStartIsInfrastructure) {
  const Folder folder;
  const Done done = gridlock({"accept", "node", "--output", "out"}, folder,
                             {{"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML}, {"TEST_NVML_FAIL", "init"}});
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("the NVIDIA driver does not start"), std::string::npos);
}

// Four GPUs of a driver with a script, and scripts in the place of programs on them.
TEST(Accept, OnGpusTheCulpritHasASerialNumber) {
  const Folder folder;
  const fs::path home = folder.path() / "home";
  make_installation(home, {{"healthy_training", R"(if [ "$1" = --describe ]; then
echo '{"schema":"gridlock.scenario/1","name":"healthy_training","backend":"cuda","summary":"",
"lesson":"","claims":[],"ranks":4,"variants":[{"name":"scaling","role":"control","summary":"",
"min_ranks":1,"max_ranks":9,"needs":"","expect":{"outcomes":["completes"],"cause":"none",
"culprits":[],"waiting":[]}}]}'
exit 0
fi
echo '{"status":"completed","numbers":"unchecked","figures":{"speed_up":1.85}}' >&3)"}},
                    "cuda");
  fs::create_directories(home / "benchmarks");
  const fs::path file = home / "benchmarks" / "benchmark_collectives_cuda";
  write(file, "#!/bin/sh\nif [ $RANK = 1 ]; then\n" + reports("2.0e11") + "\nelse\n" +
                  reports("4.0e11") + "\nfi\n");
  fs::permissions(file, fs::perms::owner_all);
  write(folder.path() / "p.toml",
        std::string("summary = \"a test\"\nbackend = \"cuda\"\n") + kPair +
            "outlier_margin = \"10%\"\n[[scaling]]\nranks = 2\nspeed_up = [1.8, 1.9]\n"
            "[[scaling]]\nranks = 8\nspeed_up = [7.0, 7.5]\nneeded = false\n");
  const Done done = gridlock({"accept", "p.toml", "--output", "out"}, folder,
                             {{"GRIDLOCK_HOME", home.string()},
                              {"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML},
                              {"TEST_NVML_GPUS", "4"}});
  EXPECT_EQ(done.code, 1) << done.output;
  const Json checks = results(folder).at("checks");
  EXPECT_EQ(checks.at(0).at("id"), "pair/1MiB@4");
  EXPECT_EQ(checks.at(0).at("culprits").size(), 1U) << done.output;
  const Json culprit = checks.at(0).at("culprits").at(0);
  EXPECT_EQ(culprit.at("rank"), 1);
  EXPECT_EQ(culprit.at("gpu").at("uuid"), "GPU-bbbbbbbb");
  EXPECT_EQ(culprit.at("gpu").at("serial"), "165001");
  EXPECT_EQ(checks.at(1).at("answer"), "pass") << checks.at(1);
  EXPECT_EQ(checks.at(2).at("was_run"), false);
  EXPECT_TRUE(results(folder).at("caution").is_null());
}

TEST(Accept, ADryRunStartsNothing) {
  const Folder folder;
  const auto home = with_benchmark(folder, "touch " + (folder.path() / "started").string());
  const Done done = accept(folder, std::string(kHealthy) + kPair, {"--dry-run"}, home);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("uneven_batches/drop_last@4"), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("2 checks; nothing was run"), std::string::npos) << done.output;
  EXPECT_FALSE(fs::exists(folder.path() / "started"));
  EXPECT_FALSE(fs::exists(folder.path() / "out"));
}

TEST(Accept, ABaselineIsWrittenAndHeldAgainst) {
  const Folder folder;
  const std::string share = std::string(kPair) + "share_of_baseline = \"90%\"\n";
  EXPECT_EQ(accept(folder, share).code, 2);
  ASSERT_EQ(accept(folder, kPair, {"--write-baseline", "good.json"},
                   with_benchmark(folder, reports("4.0e9")))
                .code,
            0);
  const auto slower = with_benchmark(folder, reports("3.0e9"));
  const Done done = accept(folder, share, {"--baseline", "good.json"}, slower);
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.output.find("90% of the baseline's 4.00 GB/s"), std::string::npos) << done.output;
  EXPECT_EQ(accept(folder, share, {"--baseline", "missing.json"}).code, 2);
}

// Answers, in the order of the checks.
std::vector<std::string> answers(const Json& json) {
  std::vector<std::string> all;
  for (const Json& check : json.at("checks")) {
    all.push_back(check.at("id").get<std::string>() + " " + check.at("answer").get<std::string>() +
                  " " + std::to_string(check.at("runs").get<int>()));
  }
  return all;
}

TEST(Accept, AnInterruptedRunGoesOnAndEqualsAnUninterruptedOne) {
  const std::string profile =
      "[[scenario]]\nrun = [\"uneven_batches/drop_last\", \"uneven_batches/peers_leave\", "
      "\"uneven_batches/stop_together\"]\nrepeat = 5\n";
  const Folder folder;
  ASSERT_EQ(accept(folder, profile).code, 0);
  const auto whole = answers(results(folder));
  {
    Command command({"accept", "p.toml", "--output", "two"}, folder);
    ASSERT_TRUE(command.wait_for("uneven_batches/drop_last@4:"));
    kill(command.pid(), SIGINT);
    const Done done = command.finish();
    EXPECT_EQ(done.code, 3) << done.output;
    EXPECT_NE(done.output.find("--resume two"), std::string::npos) << done.output;
    EXPECT_TRUE(command.all_gone());
  }
  EXPECT_LT(read_json(folder.path() / "two/acceptance.json").at("checks").size(), 3U);
  // Another selection is another run.
  EXPECT_EQ(gridlock({"accept", "p.toml", "--resume", "two", "--shard", "1/3"}, folder).code, 2);
  const Done done = gridlock({"accept", "p.toml", "--resume", "two"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(answers(read_json(folder.path() / "two/acceptance.json")), whole);
}

TEST(Accept, AKilledAgentLeavesNothingAndTheRunGoesOn) {
  const Folder folder;
  write(folder.path() / "p.toml",
        "summary = \"a test\"\nbackend = \"sim\"\n[[scenario]]\nrepeat = 5\n"
        "run = [\"uneven_batches/drop_last\", \"uneven_batches/join\"]\n");
  Command command({"accept", "p.toml", "--output", "out"}, folder);
  ASSERT_TRUE(command.wait_for("uneven_batches/drop_last@4:"));
  kill(command.agent(), SIGKILL);
  EXPECT_EQ(command.finish().code, 3);
  EXPECT_TRUE(command.all_gone());
  const Done done = gridlock({"accept", "p.toml", "--resume", "out"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(results(folder).at("checks").size(), 2U);
}

TEST(Accept, WrongUsageIsASentence) {
  const Folder folder;
  struct Case {
    std::vector<std::string> arguments;
    const char* says;
  };
  for (const Case& one :
       {Case{{"accept"}, "give one PROFILE"},
        Case{{"accept", "sim-quik"}, "did you mean sim-quick?"},
        Case{{"accept", "./none.toml"}, "there is no profile ./none.toml"},
        Case{{"accept", "sim-quick", "--shard", "4/3"}, "is no shard"},
        Case{{"accept", "sim-quick", "--tag", "detectr"}, "did you mean detector"},
        Case{{"accept", "sim-quick", "--stop-after", "0"}, "no number"},
        Case{{"soak", "uneven_batches"}, "--for is required"},
        Case{{"soak", "--for", "10"}, "is no duration"},
        Case{{"soak", "--for", "1s", "nothing_here"}, "there is no scenario"}}) {
    const Done done = gridlock(one.arguments, folder);
    EXPECT_EQ(done.code, 2) << one.says << done.output;
    EXPECT_NE(done.output.find(one.says), std::string::npos) << done.output;
  }
}

TEST(Soak, FindsNothingWrongWithWhatIsRight) {
  const Folder folder;
  const Done done = gridlock({"soak", "--for", "3s", "--seed", "7", "--output", "out",
                              "uneven_batches", "healthy_training"},
                             folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const Json json = read_json(folder.path() / "out" / "soak.json");
  EXPECT_EQ(json.at("schema"), "gridlock.soak/1");
  EXPECT_EQ(json.at("seed"), 7);
  EXPECT_EQ(json.at("total").at("false_alarms"), 0);
  EXPECT_GT(json.at("total").at("runs"), 0);
  EXPECT_EQ(json.at("total").at("runs"), json.at("total").at("as_declared"));
  EXPECT_GT(json.at("delays"), 0);
  EXPECT_NE(done.output.find("seed 7"), std::string::npos);
}

TEST(Soak, EndsWithItsReportOnCtrlC) {
  const Folder folder;
  Command command({"soak", "--for", "1h", "--output", "out", "uneven_batches"}, folder);
  ASSERT_TRUE(command.wait_for("Soak of"));
  kill(command.pid(), SIGINT);
  const Done done = command.finish();
  EXPECT_NE(done.output.find("Ended early: ended by SIGINT"), std::string::npos) << done.output;
  EXPECT_TRUE(fs::exists(folder.path() / "out" / "soak.md"));
  EXPECT_TRUE(command.all_gone());
}

// Also the one that is stopped at the moment.
TEST(Soak, AKilledAgentLeavesNothing) {
  const Folder folder;
  Command command({"soak", "--for", "1h", "--output", "out", "uneven_sequence_lengths/slow_rank"},
                  folder);
  ASSERT_TRUE(command.wait_for("Soak of"));
  kill(command.agent(), SIGKILL);
  EXPECT_EQ(command.finish().code, 3);
  EXPECT_TRUE(command.all_gone());
}

}  // namespace
}  // namespace gridlock::end_to_end
