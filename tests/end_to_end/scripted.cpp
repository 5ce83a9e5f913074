// Writes scripts that print a description as JSON.
#include "tests/end_to_end/scripted.h"

#include <nlohmann/json.hpp>

namespace gridlock::end_to_end {

std::string scripted(const Scripted& scenario, const std::string& body) {
  using Json = nlohmann::json;
  const Json expect{{"outcomes", {scenario.outcome}},
                    {"cause", "none"},
                    {"culprits", Json::array()},
                    {"waiting", Json::array()}};
  const Json variant{{"name", scenario.variant}, {"role", scenario.role}, {"summary", ""},
                     {"min_ranks", 1},           {"max_ranks", 9},        {"needs", ""},
                     {"expect", expect}};
  Json description{{"schema", "gridlock.scenario/1"},
                   {"name", scenario.name},
                   {"backend", scenario.backend},
                   {"summary", ""},
                   {"lesson", ""},
                   {"claims", Json::array()},
                   {"ranks", scenario.ranks},
                   {"variants", {variant}}};
  if (scenario.backend == "cuda") {
    description["cuda_version"] = 13000;
    description["nccl_version"] = 23001;
  }
  return "if [ \"$1\" = --describe ]; then\necho '" + description.dump() + "'\nexit 0\nfi\n" + body;
}

}  // namespace gridlock::end_to_end
