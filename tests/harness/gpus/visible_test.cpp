// Which GPUs CUDA_VISIBLE_DEVICES shows, as tables.
#include "harness/gpus/visible.h"

#include <gtest/gtest.h>

namespace gridlock::gpus {
namespace {

std::vector<Gpu> three() {
  std::vector<Gpu> all;
  for (const char* name : {"aaaa1", "aaaa2", "cccc"}) {
    all.push_back({.name = name,
                   .uuid = "GPU-" + std::string(name),
                   .serial = "s" + std::string(name),
                   .memory_mib = 100});
  }
  return all;
}

TEST(Visible, FollowsCudasRules) {
  struct Case {
    const char* list;
    std::size_t count;
    const char* first;
  };
  for (const Case& one :
       {Case{nullptr, 3, "aaaa1"}, Case{"0,1,2", 3, "aaaa1"}, Case{"2", 1, "cccc"},
        Case{"1,2", 2, "aaaa2"}, Case{"2,7,1", 1, "cccc"}, Case{"", 0, ""}, Case{"-1", 0, ""},
        Case{"1,1", 0, ""}, Case{"GPU-cc", 1, "cccc"}, Case{"GPU-aaaa2,GPU-cccc", 2, "aaaa2"},
        Case{"GPU-aaaa", 0, ""}, Case{"GPU-", 0, ""}, Case{"2x", 0, ""},
        Case{"2,MIG-1", 1, "cccc"}}) {
    const std::vector<Gpu> gpus = visible(one.list, three());
    const char* list = one.list == nullptr ? "(not set)" : one.list;
    EXPECT_EQ(gpus.size(), one.count) << list;
    EXPECT_EQ(gpus.empty() ? "" : gpus.front().name, one.first) << list;
  }
}

TEST(Visible, APartOfAGpuIsTheOnlyDevice) {
  struct Case {
    const char* list;
    const char* uuid;
    const char* name;
    const char* serial;
  };
  for (const Case& one : {Case{"MIG-1234", "MIG-1234", "aaaa1", ""},
                          Case{"MIG-1234,MIG-5678,2", "MIG-1234", "aaaa1", ""},
                          Case{"MIG-GPU-cccc/1/0", "MIG-GPU-cccc/1/0", "cccc", "scccc"}}) {
    const std::vector<Gpu> gpus = visible(one.list, three());
    ASSERT_EQ(gpus.size(), 1U) << one.list;
    EXPECT_EQ(gpus[0].uuid, one.uuid);
    EXPECT_EQ(gpus[0].name, one.name);
    EXPECT_EQ(gpus[0].serial, one.serial);
    EXPECT_EQ(gpus[0].memory_mib, 0);
  }
  // If there is only one GPU, the instance must be a part of it.
  EXPECT_EQ(visible("MIG-1234", {three().front()}).at(0).serial, "saaaa1");
}

TEST(Visible, APartOfNoGpuIsNone) {
  for (const char* list : {"MIG-", "MIG-GPU-dddd/1/0", "MIG-GPU-aaaa/1/0", "MIG-GPU-/1/0"}) {
    EXPECT_TRUE(visible(list, three()).empty()) << list;
  }
  EXPECT_TRUE(visible("MIG-1234", {}).empty());
}

}  // namespace
}  // namespace gridlock::gpus
