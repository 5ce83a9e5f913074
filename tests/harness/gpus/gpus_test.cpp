// The helper that asks the driver, and how the harness reads its answer, with a scripted driver
// library.
#include "harness/catalogue/gpus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/processes/capture.h"

namespace gridlock::run {
namespace {

const catalogue::Installation kInstallation{.root = GRIDLOCK_BUILD};

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
  const catalogue::Gpus gpus = catalogue::find_gpus(kInstallation);
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
  const catalogue::Gpus gpus = catalogue::find_gpus(kInstallation);
  ASSERT_EQ(gpus.devices.size(), 1U);
  EXPECT_EQ(gpus.devices[0].serial, "");
}

TEST(FindGpus, ADriverThatDoesNotStartIsAFault) {
  const Driver driver({{"TEST_NVML_FAIL", "init"}});
  const catalogue::Gpus gpus = catalogue::find_gpus(kInstallation);
  EXPECT_EQ(gpus.count, 0);
  EXPECT_EQ(gpus.fault, "the NVIDIA driver does not start: Scripted Error");
}

TEST(FindGpus, ADriverThatHangsHangsNobodyElse) {
  const Driver driver({{"TEST_NVML_HANG", "init"}});
  const processes::Captured asked =
      processes::capture({kInstallation.gpus().string(), "list"}, Duration(50'000'000));
  EXPECT_TRUE(asked.timed_out);
}

TEST(FindGpus, WithoutAHelperThereAreNone) {
  const catalogue::Gpus gpus = catalogue::find_gpus({.root = "/nonexistent"});
  EXPECT_EQ(gpus.count, 0);
  EXPECT_NE(gpus.fault, "");
}

TEST(FindGpus, FollowsCudasRulesOfVisibility) {
  const Driver driver({{"TEST_NVML_GPUS", "3"}, {"CUDA_VISIBLE_DEVICES", "2,1"}});
  const catalogue::Gpus gpus = catalogue::find_gpus(kInstallation);
  EXPECT_EQ(gpus.count, 2);
  ASSERT_EQ(gpus.devices.size(), 2U);
  EXPECT_EQ(gpus.devices[0].uuid, "GPU-cccccccc");
  EXPECT_EQ(gpus.devices[1].uuid, "GPU-bbbbbbbb");
}

TEST(FindGpus, HiddenGpusAreNoBrokenDriver) {
  const Driver driver({{"TEST_NVML_GPUS", "3"}, {"CUDA_VISIBLE_DEVICES", "7"}});
  const catalogue::Gpus gpus = catalogue::find_gpus(kInstallation);
  EXPECT_EQ(gpus.count, 0);
  EXPECT_EQ(gpus.fault, "CUDA_VISIBLE_DEVICES=7 names none of the 3 GPUs");
  EXPECT_FALSE(gpus.is_broken);
}

TEST(FindGpus, APartOfAGpuIsOneThatRanksShare) {
  const Driver driver({{"TEST_NVML_GPUS", "2"}, {"CUDA_VISIBLE_DEVICES", "MIG-1234,MIG-5678"}});
  const catalogue::Gpus gpus = catalogue::find_gpus(kInstallation);
  EXPECT_EQ(gpus.count, 1);
  EXPECT_EQ(gpus.name, "Scripted H200");
  ASSERT_EQ(gpus.devices.size(), 1U);
  EXPECT_EQ(gpus.devices[0].uuid, "MIG-1234");
}

// scripts/gpu_check.sh reads the answer as text.
TEST(Helper, ListsOnlyTheGpusThatCudaShows) {
  for (const auto& [visible, count] : {std::pair{"0,2", 2}, {"", 0}}) {
    const Driver driver({{"TEST_NVML_GPUS", "3"}, {"CUDA_VISIBLE_DEVICES", visible}});
    const std::string text =
        processes::capture({kInstallation.gpus().string(), "list"}, kGpuLimit).output;
    int uuids = 0;
    for (auto at = text.find("\"uuid\""); at != std::string::npos;
         at = text.find("\"uuid\"", at + 1)) {
      ++uuids;
    }
    EXPECT_EQ(uuids, count) << text;
    EXPECT_EQ(text.find("\"gpus\":[]") != std::string::npos, count == 0) << text;
  }
}

TEST(ParseGpus, AMachineWithoutAGpuSaysSo) {
  const catalogue::Gpus gpus = catalogue::parse_gpus(
      R"({"driver":"1","cuda":13000,"gpus":[],"all":0,"visible":null,"fault":""})");
  EXPECT_EQ(gpus.count, 0);
  EXPECT_EQ(gpus.fault, "the NVIDIA driver knows no GPU");
}

TEST(ParseGpus, DamageIsSaid) {
  for (const char* bad : {"", "hello", "{}", R"({"driver":1})"}) {
    EXPECT_THROW(catalogue::parse_gpus(bad), MachineError) << bad;
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
    EXPECT_EQ(processes::capture(command, kGpuLimit).ending.code, 2);
  }
}

}  // namespace
}  // namespace gridlock::run
