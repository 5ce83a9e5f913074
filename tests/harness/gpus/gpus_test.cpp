// The helper that asks the driver, and what the harness makes of its answer, against a scripted
// driver library.
#include "harness/run/gpus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/run/capture.h"
#include "harness/run/error.h"

namespace gridlock::run {
namespace {

const Installation kInstallation{.root = GRIDLOCK_BUILD};

// The stand-in for the driver, scripted; removed at the end.
class Driver {
 public:
  explicit Driver(std::initializer_list<std::pair<const char*, const char*>> script) {
    set("LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML);
    for (const auto& [name, value] : script) set(name, value);
  }
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  ~Driver() {
    for (const char* name : names_) unsetenv(name);
  }

 private:
  void set(const char* name, const char* value) {
    setenv(name, value, 1);
    names_.push_back(name);
  }
  std::vector<const char*> names_;
};

TEST(FindGpus, ReadsWhatTheDriverSays) {
  const Driver driver({{"TEST_NVML_GPUS", "8"}});
  const Gpus gpus = find_gpus(kInstallation);
  EXPECT_EQ(gpus.fault, "");
  EXPECT_EQ(gpus.count, 8);
  EXPECT_EQ(gpus.name, "Scripted H200");
  EXPECT_EQ(gpus.driver, "580.82.07");
  EXPECT_EQ(gpus.cuda, 13000);
  ASSERT_EQ(gpus.devices.size(), 8U);
  EXPECT_EQ(gpus.devices[1].uuid, "GPU-bbbbbbbb");
  EXPECT_EQ(gpus.devices[1].serial, "165001");
}

TEST(FindGpus, ABoardWithoutASerialNumberIsStillAGpu) {
  const Driver driver({{"TEST_NVML_FAIL", "serial"}});
  const Gpus gpus = find_gpus(kInstallation);
  ASSERT_EQ(gpus.devices.size(), 1U);
  EXPECT_EQ(gpus.devices[0].serial, "");
}

TEST(FindGpus, ADriverThatDoesNotStartIsAFault) {
  const Driver driver({{"TEST_NVML_FAIL", "init"}});
  const Gpus gpus = find_gpus(kInstallation);
  EXPECT_EQ(gpus.count, 0);
  EXPECT_EQ(gpus.fault, "the NVIDIA driver does not start: Scripted Error");
}

TEST(FindGpus, ADriverThatHangsHangsNobodyElse) {
  const Driver driver({{"TEST_NVML_HANG", "init"}});
  const Captured asked = capture({kInstallation.gpus().string(), "list"}, Duration(50'000'000));
  EXPECT_TRUE(asked.timed_out);
}

TEST(FindGpus, WithoutAHelperThereAreNone) {
  const Gpus gpus = find_gpus({.root = "/nonexistent"});
  EXPECT_EQ(gpus.count, 0);
  EXPECT_NE(gpus.fault, "");
}

TEST(ParseGpus, FollowsCudasRulesOfVisibility) {
  const std::string answer = R"({"driver":"1","cuda":13000,"fault":"","gpus":[
    {"name":"a","uuid":"GPU-aaaa1"},{"name":"b","uuid":"GPU-aaaa2"},{"name":"c","uuid":"GPU-cccc"}]})";
  struct Case {
    const char* visible;
    int count;
    const char* first;
  };
  for (const Case& one :
       {Case{nullptr, 3, "a"}, Case{"0,1,2", 3, "a"}, Case{"2", 1, "c"}, Case{"1,2", 2, "b"},
        Case{"2,7,1", 1, "c"}, Case{"", 0, ""}, Case{"-1", 0, ""}, Case{"1,1", 0, ""},
        Case{"GPU-cc", 1, "c"}, Case{"GPU-aaaa2,GPU-cccc", 2, "b"}, Case{"GPU-aaaa", 0, ""},
        Case{"GPU-", 0, ""}, Case{"2x", 0, ""}}) {
    const Gpus gpus = parse_gpus(answer, one.visible);
    const char* name = one.visible == nullptr ? "(not set)" : one.visible;
    EXPECT_EQ(gpus.count, one.count) << name;
    EXPECT_EQ(gpus.name, one.first) << name;
    EXPECT_EQ(gpus.devices.size(), static_cast<std::size_t>(one.count)) << name;
    EXPECT_EQ(gpus.fault.empty(), one.count > 0) << name;
  }
}

TEST(ParseGpus, DamageIsSaid) {
  for (const char* bad : {"", "hello", "{}", R"({"driver":1})"}) {
    EXPECT_THROW(parse_gpus(bad, nullptr), MachineError) << bad;
  }
}

TEST(Helper, WrongUsageIsRefused) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"count"},
                                                    {"sample"},
                                                    {"sample", "0"},
                                                    {"sample", "fast"},
                                                    {"list", "all"}}) {
    std::vector<std::string> command{kInstallation.gpus().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(capture(command, kGpuLimit).ending.code, 2);
  }
}

}  // namespace
}  // namespace gridlock::run
