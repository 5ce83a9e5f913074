// Modules that are loaded when first needed: variables at load, functions at their first call.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

// A kernel in which each thread's input selects the function that it calls from a table.
const std::string& kernel() {
  static const std::string text = kernel_of(R"(
    ld.global.u64 %rd6, [%rd4]; mul.lo.u64 %rd6, %rd6, 8; mov.u64 %rd7, table; add.u64 %rd7, %rd7, %rd6;
    ld.global.u64 %rd8, [%rd7];
    { .param .b64 result; prototype: .callprototype (.param .b64 _) _ (); call (result), %rd8, (), prototype;
      ld.param.b64 %rd9, [result]; }
    st.global.u64 [%rd3], %rd9;)",
                                            ".extern .global .align 8 .u64 table[2];\n"
                                            ".extern .shared .align 8 .b8 shared[256];\n");
  return text;
}

std::string function(const std::string& name, int value, const std::string& before = "") {
  return module_of(before + ".visible .func (.param .b64 result) " + name +
                   "() { .reg .b64 %rd<3>; mov.u64 %rd1, " + std::to_string(value) +
                   "; st.param.b64 [result], %rd1; ret; }\n");
}

class Shelf : public MoreModules {
 public:
  Shelf() {
    add("table", {"table"}, module_of(R"(
      .extern .func (.param .b64 result) one(); .extern .func (.param .b64 result) two();
      .visible .global .align 8 .u64 table[2] = {one, two};)"));
    add("one", {"one"}, function("one", 11));
    add("two", {"two"}, function("two", 22));
  }
  void add(const std::string& module, const std::vector<std::string>& symbols,
           const std::string& text) {
    texts_[module] = text;
    for (const std::string& symbol : symbols) modules_[symbol] = module;
  }
  bool has(std::string_view symbol) const override {
    return modules_.contains(std::string(symbol));
  }
  ModuleText get(std::string_view symbol) override {
    const std::string& module = modules_.at(std::string(symbol));
    asked.insert(module);
    const std::string& text = texts_.at(module);
    if (text.empty()) throw Refused(module + " cannot be made");
    return {module, text};
  }
  std::multiset<std::string> asked;

 private:
  std::map<std::string, std::string> modules_;
  std::map<std::string, std::string> texts_;
};

Outcome run(const Program& program, const std::vector<std::uint64_t>& in,
            std::vector<std::uint64_t>& out) {
  out.assign(in.size(), 0);
  Memory memory;
  memory.add(out.data(), out.size() * 8);
  memory.add(in.data(), in.size() * 8, false);
  const void* parameters[2] = {out.data(), in.data()};
  Launch launch;
  launch.block[0] = static_cast<std::uint32_t>(in.size());
  launch.kernel = program.kernel("k");
  launch.parameters = {reinterpret_cast<const std::byte*>(parameters), sizeof parameters};
  return Execution(program, memory, launch).run({});
}

TEST(PtxLate, AFunctionComesWhenItIsFirstCalledAndOnce) {
  Shelf shelf;
  const ModuleText module{"kernel", kernel()};
  const Program program({&module, 1}, shelf);
  EXPECT_EQ(shelf.asked, (std::multiset<std::string>{"table"}));
  std::vector<std::uint64_t> out;
  ASSERT_EQ(run(program, {1, 1}, out).kind, Outcome::Kind::kCompleted);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{22, 22}));
  EXPECT_EQ(shelf.asked, (std::multiset<std::string>{"table", "two"}));
  ASSERT_EQ(run(program, {0, 1, 0}, out).kind, Outcome::Kind::kCompleted);
  EXPECT_EQ(out, (std::vector<std::uint64_t>{11, 22, 11}));
  EXPECT_EQ(shelf.asked, (std::multiset<std::string>{"one", "table", "two"}));
}

TEST(PtxLate, AModuleThatCannotBeMadeEndsTheLaunchWithItsReason) {
  Shelf shelf;
  shelf.add("two", {"two"}, "");
  const ModuleText module{"kernel", kernel()};
  const Program program({&module, 1}, shelf);
  std::vector<std::uint64_t> out;
  const Outcome outcome = run(program, {1}, out);
  ASSERT_EQ(outcome.kind, Outcome::Kind::kFailed);
  EXPECT_NE(outcome.failure->sentence.find("two cannot be made"), std::string::npos);
}

TEST(PtxLate, AModuleWithoutTheFunctionOrWithSharedMemoryOfItsOwnIsRefused) {
  for (const std::string& text :
       {function("other", 1), function("two", 1, ".visible .shared .align 8 .b8 more[8];\n")}) {
    Shelf shelf;
    shelf.add("two", {"two"}, text);
    const ModuleText module{"kernel", kernel()};
    const Program program({&module, 1}, shelf);
    std::vector<std::uint64_t> out;
    EXPECT_EQ(run(program, {1}, out).kind, Outcome::Kind::kFailed);
  }
}

TEST(PtxLate, WhatNoModuleHasIsRefusedAtLoad) {
  Shelf shelf;
  const std::string text = module_of(".visible .global .align 8 .u64 table[1] = {nobody};");
  const ModuleText module{"kernel", text};
  EXPECT_THROW(Program({&module, 1}, shelf), Refused);
}

}  // namespace
}  // namespace sim::ptx
