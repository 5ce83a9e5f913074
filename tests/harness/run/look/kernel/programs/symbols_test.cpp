// Callers from the test's own debug information.
#include "harness/run/look/kernel/programs/symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace gridlock::run {
namespace {

[[gnu::noinline]] const char* return_address() {
  return static_cast<const char*>(__builtin_return_address(0));
}

[[gnu::noinline]] const char* address_in_here() {
  const char* address = return_address();
  // Keeps the call from being the last instruction, where the compiler could make it a jump.
  asm volatile("" : : "r"(address) : "memory");
  return address;
}

detect::CodeLocation locate(const char* address) {
  Dl_info info{};
  dladdr(address, &info);
  const auto offset = address - static_cast<const char*>(info.dli_fbase);
  return {.module = std::filesystem::read_symlink("/proc/self/exe").string(),
          .offset = static_cast<std::uint64_t>(offset)};
}

TEST(Symbols, NameFunctionFileAndLine) {
  Symbols symbols;
  const std::string name = symbols.name(locate(address_in_here()));
  EXPECT_EQ(name.find("address_in_here (symbols_test.cpp:"), 0U) << name;
}

TEST(Symbols, SayNothingOfWhatTheyDoNotKnow) {
  Symbols symbols;
  EXPECT_EQ(symbols.name(detect::CodeLocation{}), "");
  EXPECT_EQ(symbols.name({.module = "/no/such/file", .offset = 100}), "");
  EXPECT_EQ(symbols.name({.module = "/etc/passwd", .offset = 100}), "");
}

TEST(Symbols, TakeTheFirstCallerThatIsKnown) {
  Symbols symbols;
  const std::vector<detect::CodeLocation> callers{{.module = "/no/such/file", .offset = 8},
                                                  locate(address_in_here())};
  EXPECT_EQ(symbols.name(callers).find("address_in_here"), 0U);
}

}  // namespace
}  // namespace gridlock::run
