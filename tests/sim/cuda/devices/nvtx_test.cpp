// NVTX: a tool that the environment names is loaded and called by NVTX 3's own protocol.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <string>

namespace {

struct CudaNvtx : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// What the tool in tests/sim/nvtx saw. Empty if it is not loaded.
std::string seen() {
  void* tool = dlopen(GRIDLOCK_NVTX_TOOL, RTLD_LAZY | RTLD_NOLOAD);
  if (tool == nullptr) return "";
  return reinterpret_cast<const char* (*)()>(dlsym(tool, "seen"))();
}

int fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

int call_with_tool() {
  setenv("NVTX_INJECTION64_PATH", GRIDLOCK_NVTX_TOOL, 1);
  if (nvtxRangePushA("outer") != 0 || nvtxRangePushA("inner") != 1) return fail("push");
  for (const int level : {1, 0}) {
    if (nvtxRangePop() != level) return fail("pop");
  }
  nvtxMarkA("mark");  // the tool has no function for it
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "domain range";
  nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
  if (nvtxDomainRangePushEx(domain, &attributes) != 0) return fail("domain push");
  return seen() == "+outer+inner--domain+domain range" ? 0 : fail(seen());
}

int call_without_tool() {
  unsetenv("NVTX_INJECTION64_PATH");
  if (nvtxRangePushA("label") != NVTX_NO_PUSH_POP_TRACKING) return fail("push");
  if (nvtxRangePop() != NVTX_NO_PUSH_POP_TRACKING) return fail("pop");
  if (nvtxRangeStartA("label") != 0) return fail("start");
  if (nvtxDomainCreateA("domain") != nullptr) return fail("domain");
  return seen().empty() ? 0 : fail(seen());
}

int call_with_missing_tool() {
  setenv("NVTX_INJECTION64_PATH", "/no/such/tool.so", 1);
  return nvtxRangePushA("label") == NVTX_NO_PUSH_POP_TRACKING ? 0 : fail("push");
}

TEST_F(CudaNvtx, CallsTheTool) {
  EXPECT_EXIT(std::exit(call_with_tool()), testing::ExitedWithCode(0), "");
}

TEST_F(CudaNvtx, DoesNothingWithoutATool) {
  EXPECT_EXIT(std::exit(call_without_tool()), testing::ExitedWithCode(0), "");
}

TEST_F(CudaNvtx, SaysThatTheToolIsMissing) {
  EXPECT_EXIT(std::exit(call_with_missing_tool()), testing::ExitedWithCode(0),
              "NVTX_INJECTION64_PATH: /no/such/tool.so");
}

}  // namespace
