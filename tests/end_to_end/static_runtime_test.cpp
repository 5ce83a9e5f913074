// `gridlock watch` on programs that link the CUDA runtime statically: it says what it cannot see,
// and proves nothing that depends on it.
#include <gtest/gtest.h>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

void expect_said(const std::string& text, const std::string& ranks, const std::string& name) {
  EXPECT_NE(text.find("Of " + ranks + " only the calls of NCCL were seen"), std::string::npos)
      << text;
  EXPECT_NE(text.find(program(name) + " has the CUDA runtime linked in"), std::string::npos)
      << text;
  EXPECT_NE(text.find("link it with -cudart shared"), std::string::npos) << text;
}

TEST(StaticRuntime, AHangIsAStallAndSaysWhatWasNotSeen) {
  const Folder folder;
  const Done done = gridlock({"watch", "-n", "3", "--on-stall", "kill", "--stall-limit", "300ms",
                              "--output", "out", "--", program("skips_one_static")},
                             folder);
  EXPECT_EQ(done.code, 1) << done.output;
  expect_said(done.output, "ranks 0-2", "skips_one_static");
  const auto run = read_json(folder.path() / "out/results.json").at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "stall");
  expect_said(run.at("explanation"), "ranks 0-2", "skips_one_static");

  const Done later = gridlock({"diagnose", "out/runs/skips_one_static"}, folder);
  EXPECT_EQ(later.output.find("deadlock"), std::string::npos) << later.output;
  expect_said(later.output, "ranks 0-2", "skips_one_static");
}

TEST(StaticRuntime, AProgramThatEndsWellDoesSo) {
  const Folder folder;
  const Done done =
      gridlock({"watch", "-n", "2", "--json", "out.json", "--", program("healthy_static")}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  expect_said(done.output, "ranks 0, 1", "healthy_static");
  EXPECT_EQ(read_json(folder.path() / "out.json").at("runs").at(0).at("outcome"), "completes");
}

TEST(StaticRuntime, NothingIsSaidOfASharedOne) {
  const Folder folder;
  const Done done = gridlock({"watch", "-n", "2", "--", program("healthy")}, folder);
  EXPECT_EQ(done.output.find("CUDA runtime"), std::string::npos) << done.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
