// gridlock explain: the lesson with its PyTorch spelling, all variants, and the command that runs
// them.
#include <gtest/gtest.h>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const std::size_t found = text.find(part, at);
    ASSERT_NE(found, std::string::npos) << "\"" << part << "\" is missing in\n" << text;
    at = found + part.size();
  }
}

TEST(Explain, TellsLessonPyTorchVariantsAndCommand) {
  const Folder folder;
  const Done done = gridlock({"explain", "--backend", "sim", "nan_loss_skip"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  expect_in_order(
      done.output,
      {"nan_loss_skip: ", "\nLesson    ", "\nWatch     ", "\nCure      ", "\nIn PyTorch\n",
       "if torch.isnan(loss): continue", "# bug", "dist.all_reduce(bad", "# cure", "\nSeen in   ",
       "\n  control  healthy: ", "\n  broken   skip_alone: ",
       "deadlock (rank_exited), rank 3 to blame", "\n  fix      skip_together: ", "completes",
       "\n  gridlock run nan_loss_skip\n", "  gridlock run nan_loss_skip/skip_alone\n"});
}

// The whole lesson of every scenario is printed.
TEST(Explain, TellsOfEveryScenario) {
  const Folder folder;
  const std::string list = gridlock({"list", "--backend", "sim", "--markdown"}, folder).output;
  const Done done = gridlock({"explain", "--backend", "sim", "*"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  std::size_t at = 0;
  int scenarios = 0;
  for (at = list.find("| `"); at != std::string::npos; at = list.find("\n| `", at)) {
    const std::size_t name = list.find('`', at) + 1;
    at = list.find('`', name);
    const std::string scenario = list.substr(name, at - name);
    ++scenarios;
    const std::size_t begin = done.output.find(scenario + ": ");
    const std::string end = "\n  gridlock run " + scenario + "\n";
    ASSERT_NE(begin, std::string::npos) << scenario;
    const std::string one = done.output.substr(begin, done.output.find(end, begin) - begin);
    SCOPED_TRACE(one);
    expect_in_order(one, {"\nLesson  ", "\nWatch  ", "\nCure  ", "\nIn PyTorch\n    ",
                          "\nSeen in  ", "\nVariants, "});
  }
  EXPECT_GE(scenarios, 30) << list;
}

// list and explain give tools the same document: docs/catalogue_json.md names its keys.
TEST(List, GivesToolsADocument) {
  const Folder folder;
  const auto document = [&](const char* command, const char* names) {
    const Done done = gridlock({command, "--backend", "sim", names, "--json"}, folder);
    EXPECT_EQ(done.code, 0) << done.output;
    return nlohmann::ordered_json::parse(done.output);
  };
  const auto keys = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> all;
    for (const auto& [key, value] : object.items()) all.push_back(key);
    return all;
  };
  using Keys = std::vector<std::string>;
  const auto list = document("list", "uneven_batches/peers_leave");
  EXPECT_EQ(keys(list), (Keys{"schema", "backend", "scenarios"}));
  EXPECT_EQ(list.at("schema"), "gridlock.catalogue/1");
  EXPECT_EQ(list.at("backend"), "sim");
  ASSERT_EQ(list.at("scenarios").size(), 1U);
  const auto& scenario = list.at("scenarios").front();
  EXPECT_EQ(keys(scenario), (Keys{"name", "summary", "lesson", "claims", "ranks", "launcher",
                                  "fault", "variants"}));
  EXPECT_EQ(scenario.at("name"), "uneven_batches");
  EXPECT_EQ(scenario.at("ranks"), 4);
  EXPECT_EQ(scenario.at("launcher"), "own");
  EXPECT_TRUE(scenario.at("fault").is_null());
  ASSERT_EQ(scenario.at("variants").size(), 1U);
  const auto& variant = scenario.at("variants").front();
  EXPECT_EQ(keys(variant), (Keys{"name", "role", "summary", "needs", "control", "expected"}));
  EXPECT_EQ(variant.at("role"), "broken");
  const auto& expected = variant.at("expected");
  EXPECT_EQ(keys(expected), (Keys{"outcomes", "cause", "culprits", "waiting"}));
  EXPECT_EQ(expected.at("outcomes"), Keys{"deadlock"});
  ASSERT_FALSE(expected.at("waiting").empty());
  EXPECT_EQ(keys(expected.at("waiting").front()),
            (Keys{"ranks", "operation", "communicator", "slot", "label", "caller"}));

  // All of its variants, and otherwise the same.
  const auto explained = document("explain", "uneven_batches");
  EXPECT_GT(explained.at("scenarios").front().at("variants").size(), 1U);
  EXPECT_EQ(explained.at("scenarios").front().at("lesson"), scenario.at("lesson"));
  EXPECT_EQ(explained, document("list", "uneven_batches"));
}

}  // namespace
}  // namespace gridlock::end_to_end
