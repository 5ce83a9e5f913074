// `gridlock accept` as a user runs it: answers and exit codes.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/end_to_end/acceptance.h"
#include "tests/end_to_end/scripted.h"

namespace gridlock::end_to_end {
namespace {

// The processor time of all processes that this one has waited for.
double processor_seconds() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Measures processor time, because other work on the machine changes the wall time.
TEST(Accept, SimQuickPassesInUnderAMinute) {
  const Folder folder;
  const double before = processor_seconds();
  const Done done = gridlock({"accept", "sim-quick", "--output", "out"}, folder);
  ASSERT_TRUE(fs::exists(folder.path() / "out" / "acceptance.json")) << done.output;
  const Json json = results(folder);
  EXPECT_EQ(json.at("schema"), "gridlock.acceptance/1");
  EXPECT_EQ(json.at("planned"), json.at("checks").size());
  EXPECT_GT(json.at("checks").size(), 20U);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // many times slower
  EXPECT_LT(processor_seconds() - before, 60);
#endif
  EXPECT_EQ(json.at("summary").at("fail"), 0) << done.output;
  const bool has_benchmark =
      fs::exists(fs::path(GRIDLOCK_BUILD) / "benchmarks" / "benchmark_collectives_sim");
  EXPECT_EQ(done.code, has_benchmark ? 0 : 4) << done.output;
  for (const char* file : {"acceptance.md", "junit.xml"}) {
    EXPECT_GT(fs::file_size(folder.path() / "out" / file), 100U) << file;
  }
}

// The whole rehearsal takes minutes; the catalogue's tests run the other faults.
TEST(Accept, TheCuresOfFaultsWork) {
  const Folder folder;
  const Done done = gridlock({"accept", "faults", "--tag", "cure", "--output", "out"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const Json json = results(folder);
  EXPECT_GT(json.at("checks").size(), 7U);
  for (const Json& check : json.at("checks")) EXPECT_EQ(check.at("answer"), "pass") << check;
}

// A verdict tells an operator which device to drain, and why.
TEST(Accept, AFaultNamesRankDeviceHostAndReason) {
  const Folder folder;
  gridlock({"run", "gpu_lost/ends_alone", "kernel_never_ends/run_ahead", "--backend", "sim",
            "--ranks", "3", "--json", "results.json"},
           folder);
  const Json json = read_json(folder.path() / "results.json");
  ASSERT_TRUE(json.is_object());
  ASSERT_EQ(json.at("runs").size(), 2U);
  for (const Json& run : json.at("runs")) {
    const std::string told = run.at("explanation");
    EXPECT_NE(told.find("rank 2 "), std::string::npos) << told;
    EXPECT_NE(told.find("on device 2 of host "), std::string::npos) << told;
  }
  const std::string lost = json.at("runs").at(0).at("explanation");
  EXPECT_NE(lost.find("CUDA says \"unknown error\""), std::string::npos) << lost;
}

TEST(Accept, AScenarioThatDiffersFailsWithWhatItPrinted) {
  // The set-up is broken: a program should complete, but its last rank fails.
  const Folder folder;
  make_installation(
      folder.path() / "home",
      {{"lessons", scripted({.name = "lessons", .variant = "good", .ranks = 4},
                            "if [ $RANK = 3 ]; then echo no memory; exit 7; fi\n" + kCompletes)}});
  const Done done = accept(folder, "[[scenario]]\nrun = \"lessons/good\"\nrepeat = 2\n", {},
                           {{"GRIDLOCK_HOME", (folder.path() / "home").string()}});
  EXPECT_EQ(done.code, 1) << done.output;
  const Json check = results(folder).at("checks").at(0);
  EXPECT_EQ(check.at("answer"), "fail") << check;
  EXPECT_EQ(check.at("runs"), 2);
  EXPECT_EQ(check.at("culprits").at(0).at("rank"), 3) << check;
  EXPECT_TRUE(fs::exists(folder.path() / "out/runs/lessons.good.n4.0/output.txt"));
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

TEST(Accept, AShortLimitMakesNoStallOfAPause) {
  // Rank 0 saves for 0.6 s, and all are silent meanwhile. Whether the rest fits into the limit
  // depends on the machine.
  const Folder folder;
  const Done done =
      accept(folder, "check_limit = \"1s\"\n[[scenario]]\nrun = \"slow_checkpoint/slow_save\"\n");
  EXPECT_NE(done.code, 1) << done.output;
  EXPECT_NE(results(folder).at("checks").at(0).at("answer"), "fail") << done.output;
}

TEST(Accept, ScalingOnTheSimulationIsInconclusive) {
  const Folder folder;
  const Done done = accept(folder, "[[scaling]]\nranks = 2\nspeed_up = [1.8, 1.9]\n");
  EXPECT_EQ(done.code, 4) << done.output;
  EXPECT_NE(done.output.find("a speed-up needs a GPU for each rank"), std::string::npos);
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

TEST(Accept, AFileThatCannotBeWrittenIsRefusedAtTheBeginning) {
  for (const char* option : {"--json", "--junit", "--write-baseline"}) {
    const Folder folder;
    const auto home = with_benchmark(folder, "touch " + (folder.path() / "started").string());
    const Done done = accept(folder, kPair, {option, "nowhere/x"}, home);
    EXPECT_EQ(done.code, 2) << done.output;
    EXPECT_NE(done.output.find("cannot write nowhere/x"), std::string::npos) << done.output;
    EXPECT_FALSE(fs::exists(folder.path() / "started")) << option;
  }
}

TEST(Accept, TheAnswerIsSaidAlsoWhereItCannotBeWritten) {
  const Folder folder;
  fs::create_directory(folder.path() / "gone");
  const auto home = with_benchmark(folder, "rm -rf gone\n" + reports("4.0e9"));
  const Done done = accept(folder, kPair, {"--json", "gone/x.json"}, home);
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("Answer: PASS"), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("cannot write gone/x.json"), std::string::npos) << done.output;
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
        Case{{"accept", "sim-quick", "--shard", "4/3"}, "is not a shard"},
        Case{{"accept", "sim-quick", "--tag", "detectr"}, "did you mean detector"},
        Case{{"accept", "sim-quick", "--stop-after", "0"}, "is not a number"},
        Case{{"soak", "uneven_batches"}, "--for is required"},
        Case{{"soak", "--backend", "sim", "--for", "1h", "--json", "nowhere/x", "uneven_batches"},
             "cannot write nowhere/x"},
        Case{{"soak", "--for", "10"}, "is not a duration"},
        Case{{"soak", "--for", "1s", "nothing_here"}, "there is no scenario"}}) {
    const Done done = gridlock(one.arguments, folder);
    EXPECT_EQ(done.code, 2) << one.says << done.output;
    EXPECT_NE(done.output.find(one.says), std::string::npos) << done.output;
  }
}

}  // namespace
}  // namespace gridlock::end_to_end
