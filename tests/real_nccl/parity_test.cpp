// Our own NCCL beside the real one: every scenario once. scripts/measure_parity.sh runs all
// variants.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

// Of each scenario the first variant that goes wrong, or if there is none, the first.
std::vector<std::string> one_of_each(const end_to_end::Folder& folder) {
  const end_to_end::Done done =
      end_to_end::gridlock({"list", "--backend", "sim", "--json"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const auto list = nlohmann::json::parse(done.output);
  std::vector<std::string> names;
  for (const auto& scenario : list.at("scenarios")) {
    const auto& variants = scenario.at("variants");
    const auto broken = std::ranges::find_if(
        variants, [](const auto& variant) { return variant.at("role") == "broken"; });
    const auto& chosen = broken == variants.end() ? variants.front() : *broken;
    names.push_back(scenario.at("name").get<std::string>() + "/" +
                    chosen.at("name").get<std::string>());
  }
  return names;
}

TEST(Parity, EveryScenarioEndsAlikeOrAsDeclared) {
  GRIDLOCK_NEEDS_REAL_NCCL();
  const end_to_end::Folder folder;
  const std::vector<std::string> names = one_of_each(folder);
  ASSERT_GT(names.size(), 30U);
  std::vector<std::string> own{"run", "--backend", "sim", "--output", "own"};
  std::vector<std::string> real{"run", "--nccl", GRIDLOCK_NCCL, "--output", "real"};
  own.insert(own.end(), names.begin(), names.end());
  real.insert(real.end(), names.begin(), names.end());
  EXPECT_EQ(end_to_end::gridlock(own, folder).code, 0);
  const end_to_end::Done on_real = end_to_end::gridlock(real, folder);
  EXPECT_EQ(on_real.code, 0) << on_real.output;
  const end_to_end::Done compared =
      end_to_end::gridlock({"compare", "--parity", "own", "real"}, folder);
  EXPECT_EQ(compared.code, 0) << compared.output;
  EXPECT_NE(compared.output.find(" 0 differ undeclared"), std::string::npos) << compared.output;
}

}  // namespace
}  // namespace gridlock::real_nccl
