// In every test of the program, the loaded NCCL is the real one. If it was not built, all tests are
// skipped.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nccl.h>

#include <filesystem>

namespace {

class OnRealNccl : public testing::Environment {
 public:
  void SetUp() override {
    const std::filesystem::path folder = GRIDLOCK_NCCL_FOLDER;
    if (!std::filesystem::exists(folder / "build.json")) {
      GTEST_SKIP() << folder << " was not built";
    }
    Dl_info loaded{};
    ASSERT_NE(dladdr(reinterpret_cast<const void*>(&ncclGetVersion), &loaded), 0);
    ASSERT_EQ(std::filesystem::canonical(loaded.dli_fname).parent_path(),
              std::filesystem::canonical(folder));
  }
};

const testing::Environment* const kOnRealNccl = testing::AddGlobalTestEnvironment(new OnRealNccl);

}  // namespace
