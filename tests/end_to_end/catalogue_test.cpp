// Every variant of every scenario gets the verdict that it declares.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

std::string name_of(const nlohmann::json& run) {
  return run.at("scenario").get<std::string>() + "/" + run.at("variant").get<std::string>();
}

bool is_judged(const nlohmann::json& run) { return run.at("status") == "judged"; }

void expect_as_declared(const nlohmann::json& run) {
  EXPECT_EQ(run.at("as_declared"), true)
      << name_of(run) << " should be " << run.at("expected").dump() << " and is "
      << run.at("outcome").dump() << " (" << run.at("cause").dump() << ")";
  EXPECT_EQ(run.at("score"), 5);
  EXPECT_EQ(run.at("noise"), 0);
  // A job that completes has computed something, and what it computed was checked. Some cures end
  // a job cleanly instead of letting it complete.
  const bool is_sound = run.at("role") == "fix" || run.at("role") == "control";
  if (is_sound && run.at("outcome") == "completes") {
    EXPECT_EQ(run.at("numbers_checked"), true);
  }
}

// A lesson has something that goes wrong in it, and something that does not.
void expect_a_lesson(const std::string& scenario, const std::vector<nlohmann::json>& runs) {
  SCOPED_TRACE(scenario);
  int broken = 0;
  int sound = 0;
  int wrong = 0;
  for (const auto& run : runs) {
    if (!is_judged(run)) continue;
    const bool is_broken = run.at("role") == "broken";
    ++(is_broken ? broken : sound);
    if (is_broken && run.at("outcome") != "completes") ++wrong;
  }
  if (broken + sound == 0) return;  // none of its variants can run here
  EXPECT_GT(sound, 0);
  EXPECT_EQ(wrong > 0, broken > 0);
}

nlohmann::json list_of_all(const Folder& folder) {
  const Done done = gridlock({"list", "--backend", "sim", "--json"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  return nlohmann::json::parse(done.output);
}

enum class Scenarios { all, even, odd };  // by their place in the list

// The names of all their variants but those two whose stall takes the limit of an initialisation,
// 10 s.
std::vector<std::string> quick_ones(Scenarios which, const Folder& folder) {
  const std::set<std::string> slow{"descriptors_used_up/used_up", "nccl_out_of_memory/cache_first"};
  std::vector<std::string> names;
  const auto list = list_of_all(folder);
  bool is_even = true;
  for (const auto& scenario : list.at("scenarios")) {
    const bool is_one = which == Scenarios::all || (which == Scenarios::even) == is_even;
    is_even = !is_even;
    if (!is_one) continue;
    for (const auto& variant : scenario.at("variants")) {
      names.push_back(scenario.at("name").get<std::string>() + "/" +
                      variant.at("name").get<std::string>());
    }
  }
  const auto left_out = std::erase_if(names, [&](const auto& name) { return slow.contains(name); });
  EXPECT_TRUE(which != Scenarios::all || left_out == slow.size()) << left_out;
  return names;
}

// Runs the scenarios with `ranks` ranks, without the slow variants; if it is "", all, each with its
// own number. Returns the results.
nlohmann::json expect_all_as_declared(const std::string& ranks, Scenarios which = Scenarios::all) {
  const Folder folder;
  std::vector<std::string> arguments{"run", "--backend", "sim", "--json", "results.json"};
  if (!ranks.empty()) {
    arguments.insert(arguments.end(), {"--ranks", ranks});
    const std::vector<std::string> names = quick_ones(which, folder);
    arguments.insert(arguments.end(), names.begin(), names.end());
  }
  const Done done = gridlock(arguments, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  auto results = read_json(folder.path() / "results.json");
  EXPECT_TRUE(results.is_object()) << done.output;
  if (!results.is_object()) return results;
  int judged = 0;
  std::map<std::string, std::vector<nlohmann::json>> by_scenario;
  for (const auto& run : results.at("runs")) {
    SCOPED_TRACE(run.dump(1));
    by_scenario[run.at("scenario")].push_back(run);
    if (!is_judged(run)) continue;
    ++judged;
    expect_as_declared(run);
  }
  for (const auto& [scenario, runs] : by_scenario) expect_a_lesson(scenario, runs);
  const auto& summary = results.at("summary");
  EXPECT_GT(summary.at("true_positive"), 0);
  EXPECT_GT(summary.at("true_negative"), 0);
  EXPECT_EQ(summary.at("runs"), judged);
  EXPECT_EQ(summary.at("false_positive"), 0);
  EXPECT_EQ(summary.at("false_negative"), 0);
  EXPECT_EQ(summary.at("errors"), 0);
  return results;
}

TEST(Catalogue, OnTwoRanks) { expect_all_as_declared("2"); }

// Half of the scenarios each, to save time: `gridlock run --ranks 5` runs them all.
TEST(Catalogue, OnAnOddNumberOfRanks) { expect_all_as_declared("5", Scenarios::even); }

// Not sixteen, because on two cores a job whose ranks spin in MPI is sometimes called a stall.
TEST(Catalogue, OnEightRanks) { expect_all_as_declared("8", Scenarios::odd); }

// Four ranks, except for a few scenarios that need another number. Runs each variant once; leaves
// out only what needs a GPU or another NCCL.
TEST(Catalogue, OnTheirOwnNumberOfRanksRunsEachVariantThatIsListed) {
  const Folder folder;
  const auto list = list_of_all(folder);
  std::multiset<std::string> listed;
  for (const auto& scenario : list.at("scenarios")) {
    EXPECT_FALSE(scenario.at("variants").empty()) << scenario.at("name");
    for (const auto& variant : scenario.at("variants")) {
      listed.insert(scenario.at("name").get<std::string>() + "/" +
                    variant.at("name").get<std::string>());
    }
  }
  const auto results = expect_all_as_declared("");
  std::multiset<std::string> run;
  for (const auto& each : results.at("runs")) {
    run.insert(name_of(each));
    if (is_judged(each)) continue;
    const std::string reason = each.at("reason");
    EXPECT_TRUE(reason.find("needs a GPU") != std::string::npos ||
                reason.find("needs the real NCCL") != std::string::npos ||
                reason.find("needs an NCCL that") != std::string::npos)
        << reason;
  }
  EXPECT_EQ(run, listed);
  // Every scenario source in the chapters must be in the build. Without MPI, the scenarios that use
  // it are not built.
  const std::filesystem::path sources = std::filesystem::path(GRIDLOCK_SOURCE) / "scenarios";
  const bool has_mpi = listed.contains("mpi_barrier/barrier_first");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
    const std::string chapter = *std::filesystem::relative(entry.path(), sources).begin();
    if (entry.path().extension() != ".cpp" || chapter == "runtime" || chapter == "training")
      continue;
    if (has_mpi || chapter != "mpi") ++files;
  }
  EXPECT_EQ(list.at("scenarios").size(), files);
}

}  // namespace
}  // namespace gridlock::end_to_end
